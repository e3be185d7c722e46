/** Every error code of the interface and the HTTP status it is answered with. */
export const statusOfCode = {
  unauthorized: 401,
  invalid_api_key: 401,
  not_found: 404,
  method_not_allowed: 405,
  invalid_parameter: 400,
  invalid_cursor: 400,
  invalid_json: 400,
  invalid_pet: 400,
  payload_too_large: 413,
  unsupported_media_type: 415,
  idempotency_conflict: 422,
  precondition_failed: 412,
  rate_limited: 429,
  overloaded: 503,
  unavailable: 503,
  internal: 500,
} as const;

export type ErrorCode = keyof typeof statusOfCode;

/** An error whose code and message may be shown to the caller of the interface. */
export class PetstoreError extends Error {
  override readonly name = 'PetstoreError';
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  get status(): number {
    return statusOfCode[this.code];
  }
}

/** A problem that the operator can mend: one line that says what is wrong and what to do, no stack. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
  /** 2 when the command or its configuration is at fault, otherwise 1. */
  readonly exitStatus: 1 | 2;

  constructor(message: string, exitStatus: 1 | 2 = 1) {
    super(message);
    this.exitStatus = exitStatus;
  }
}

/** A mistake in the command line or the configuration. */
export function usageError(message: string): OperatorError {
  return new OperatorError(message, 2);
}
