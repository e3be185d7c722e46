/** Every error code of the API, with its HTTP status. */
export const statusOfCode = {
  unauthorized: 401,
  invalid_api_key: 401,
  not_found: 404,
  method_not_allowed: 405,
  invalid_parameter: 400,
  invalid_cursor: 400,
  invalid_json: 400,
  invalid_pet: 400,
  invalid_category: 400,
  request_timeout: 408,
  payload_too_large: 413,
  unsupported_media_type: 415,
  idempotency_conflict: 422,
  precondition_failed: 412,
  forbidden: 403,
  events_gone: 410,
  rate_limited: 429,
  overloaded: 503,
  unavailable: 503,
  internal: 500,
} as const;

export type ErrorCode = keyof typeof statusOfCode;

/** An error whose code and message may be shown to callers of the API. */
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

export function petNotFound(): PetstoreError {
  return new PetstoreError('not_found', 'No pet has this id.');
}

/** For a store that fails every call until the cause goes away. */
export function unavailable(cause: unknown): PetstoreError {
  return new PetstoreError('unavailable', 'The store cannot be used at the moment. Try again.', { cause });
}

export function isUnavailable(error: unknown): error is PetstoreError {
  return error instanceof PetstoreError && error.code === 'unavailable';
}

/** The change may or may not have been committed. */
export class OutcomeUnknownError extends PetstoreError {
  constructor(reason: string, cause: unknown) {
    super(
      'unavailable',
      `${reason}, and the outcome of this write is unknown. ` +
        'Repeat a create with the same Idempotency-Key; otherwise, get the pet or category to see whether it has changed.',
      { cause },
    );
  }
}

export function storeClosing(): PetstoreError {
  return new PetstoreError('unavailable', 'The store is closing.');
}

/** Ids are never reused, so only a new store has ids for new pets. */
export function idsUsedUp(): PetstoreError {
  return new PetstoreError(
    'unavailable',
    'All ids are used up, so no pet can be added. The operator has to export the pets and import them into a new store.',
  );
}

/** A problem that the operator can fix. It is shown as one line without a stack. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
  /** The message without the remedy. */
  readonly problem: string;
  readonly remedy: string | undefined;
  /** 2 if the command line or the configuration is at fault, otherwise 1. */
  readonly exitStatus: 1 | 2;

  constructor(problem: string, remedy?: string, exitStatus: 1 | 2 = 1) {
    super(remedy === undefined ? problem : `${problem} ${remedy}`);
    this.problem = problem;
    this.remedy = remedy;
    this.exitStatus = exitStatus;
  }
}

/** A mistake in the command line or the configuration. */
export function usageError(problem: string, remedy?: string): OperatorError {
  return new OperatorError(problem, remedy, 2);
}
