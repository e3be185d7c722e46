/** The codes of the service's own errors; the documentation explains each. */
export type ServiceErrorCode =
  | 'unauthorized'
  | 'invalid_api_key'
  | 'not_found'
  | 'method_not_allowed'
  | 'invalid_parameter'
  | 'invalid_cursor'
  | 'invalid_json'
  | 'invalid_pet'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'idempotency_conflict'
  | 'precondition_failed'
  | 'rate_limited'
  | 'overloaded'
  | 'unavailable'
  | 'internal';

/**
 * What went wrong before the service could say so: `network`, no answer came; `timeout`, none came in time;
 * `unexpected_response`, something answered that is not this interface (a proxy, another service).
 */
export type ConnectionErrorCode = 'network' | 'timeout' | 'unexpected_response';

/** Every code that an error of this client can have. */
export type PetstoreErrorCode = ServiceErrorCode | ConnectionErrorCode;

/** The one error of this client. Decide by `code`; `message` is for people. */
export class PetstoreClientError<Code extends PetstoreErrorCode = PetstoreErrorCode> extends Error {
  override readonly name = 'PetstoreClientError';
  readonly code: Code;
  /** The HTTP status of the answer; undefined when none came. */
  readonly status: number | undefined;
  /** Under this id the service has logged the call. Quote it when you report a problem. */
  readonly requestId: string;
  /** How long the service asks to wait before the next call, when it said so. */
  readonly retryAfterMs: number | undefined;

  constructor(code: Code, message: string, details: PetstoreClientErrorDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.status = details.status;
    this.requestId = details.requestId;
    this.retryAfterMs = details.retryAfterMs;
  }
}

/** What a {@link PetstoreClientError} knows beside its code and message. */
export interface PetstoreClientErrorDetails {
  requestId: string;
  status?: number | undefined;
  retryAfterMs?: number | undefined;
  cause?: unknown;
}

/** Tells the errors of this client from all others; with codes, only those errors. */
export function isPetstoreError<Code extends PetstoreErrorCode = PetstoreErrorCode>(
  error: unknown,
  ...codes: Code[]
): error is PetstoreClientError<Code> {
  // By name, because a program may hold two copies of this package.
  if (!(error instanceof Error) || error.name !== 'PetstoreClientError') return false;
  return codes.length === 0 || codes.includes((error as PetstoreClientError<Code>).code);
}

/** True when the API key is missing, unknown, expired or revoked: ask for another one. */
export function isUnauthorized(
  error: unknown,
): error is PetstoreClientError<'unauthorized' | 'invalid_api_key'> {
  return isPetstoreError(error, 'unauthorized', 'invalid_api_key');
}

/** True when no pet has the id. */
export function isNotFound(error: unknown): error is PetstoreClientError<'not_found'> {
  return isPetstoreError(error, 'not_found');
}

/** True when the service refused the pet; the message names every field that is wrong. */
export function isInvalidPet(error: unknown): error is PetstoreClientError<'invalid_pet'> {
  return isPetstoreError(error, 'invalid_pet');
}

/** True when the same call may succeed later: the service was out of reach, too slow or too busy. */
export function isTemporary(
  error: unknown,
): error is PetstoreClientError<'network' | 'timeout' | 'rate_limited' | 'overloaded' | 'unavailable'> {
  return isPetstoreError(error, 'network', 'timeout', 'rate_limited', 'overloaded', 'unavailable');
}

const serviceErrorCodes: Record<ServiceErrorCode, true> = {
  unauthorized: true,
  invalid_api_key: true,
  not_found: true,
  method_not_allowed: true,
  invalid_parameter: true,
  invalid_cursor: true,
  invalid_json: true,
  invalid_pet: true,
  payload_too_large: true,
  unsupported_media_type: true,
  idempotency_conflict: true,
  precondition_failed: true,
  rate_limited: true,
  overloaded: true,
  unavailable: true,
  internal: true,
};

/** True for the codes that the service itself sends. */
export function isServiceErrorCode(value: unknown): value is ServiceErrorCode {
  return typeof value === 'string' && Object.hasOwn(serviceErrorCodes, value);
}
