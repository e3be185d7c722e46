import type { PetProblems } from './pet.ts';

/** The codes of the service's own errors. The documentation explains each. */
export const serviceErrorCodes = [
  'unauthorized',
  'invalid_api_key',
  'not_found',
  'method_not_allowed',
  'invalid_parameter',
  'invalid_cursor',
  'invalid_json',
  'invalid_pet',
  'invalid_category',
  'request_timeout',
  'payload_too_large',
  'unsupported_media_type',
  'idempotency_conflict',
  'precondition_failed',
  'forbidden',
  'events_gone',
  'rate_limited',
  'overloaded',
  'unavailable',
  'internal',
] as const;

export type ServiceErrorCode = (typeof serviceErrorCodes)[number];

/**
 * A failure without an error from the service. `network`: no response arrived. `timeout`: none arrived in time.
 * `origin_not_allowed`: the browser withholds it, because the service does not allow the page's origin.
 * `unexpected_response`: it came from a proxy or another service, not from this API.
 */
export type ConnectionErrorCode = 'network' | 'timeout' | 'origin_not_allowed' | 'unexpected_response';

/** Every code of a {@link PetstoreClientError}. */
export type PetstoreErrorCode = ServiceErrorCode | ConnectionErrorCode;

/** The only error class of this client. Programs check `code`; people read `message`. */
export class PetstoreClientError<Code extends PetstoreErrorCode = PetstoreErrorCode> extends Error {
  override readonly name = 'PetstoreClientError';
  readonly code: Code;
  /** The HTTP status; undefined without a response. */
  readonly status: number | undefined;
  /** The call's id in the service's log, to quote in a bug report; undefined if nothing was sent. */
  readonly requestId: string | undefined;
  /** How long the service asks callers to wait, from `Retry-After`. */
  readonly retryAfterMs: number | undefined;
  /** Problems by field, if the client refused a pet before sending it. */
  readonly problems: PetProblems | undefined;

  constructor(code: Code, message: string, details: PetstoreClientErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.status = details.status;
    this.requestId = details.requestId;
    this.retryAfterMs = details.retryAfterMs;
    this.problems = details.problems;
  }
}

/** The optional fields of a {@link PetstoreClientError}. */
export interface PetstoreClientErrorDetails {
  requestId?: string | undefined;
  status?: number | undefined;
  retryAfterMs?: number | undefined;
  problems?: PetProblems | undefined;
  cause?: unknown;
}

/** The same failure with another message. */
export function withMessage(cause: PetstoreClientError, message: string): PetstoreClientError {
  const { code, status, requestId, retryAfterMs } = cause;
  return new PetstoreClientError(code, message, { status, requestId, retryAfterMs, cause });
}

/** Throws if there is any problem. */
export function refuseProblems(problems: PetProblems): void {
  const message = Object.entries(problems).map(([field, problem]) => `${field} ${problem}.`);
  if (message.length > 0) throw new PetstoreClientError('invalid_pet', message.join(' '), { problems });
}

/** True for errors of this client; with codes, only for those codes. */
export function isPetstoreError<Code extends PetstoreErrorCode = PetstoreErrorCode>(
  error: unknown,
  ...codes: Code[]
): error is PetstoreClientError<Code> {
  // Compare names, because a program may load two copies of this package.
  if (!(error instanceof Error) || error.name !== 'PetstoreClientError') return false;
  return codes.length === 0 || codes.includes((error as PetstoreClientError<Code>).code);
}

/** True if the API key is missing, unknown, expired or revoked. Ask for another key. */
export function isUnauthorized(
  error: unknown,
): error is PetstoreClientError<'unauthorized' | 'invalid_api_key'> {
  return isPetstoreError(error, 'unauthorized', 'invalid_api_key');
}

/** True if no pet, or no category, has this id. */
export function isNotFound(error: unknown): error is PetstoreClientError<'not_found'> {
  return isPetstoreError(error, 'not_found');
}

/** True if the pet is invalid. The message names every invalid field; see also `problems`. */
export function isInvalidPet(error: unknown): error is PetstoreClientError<'invalid_pet'> {
  return isPetstoreError(error, 'invalid_pet');
}

/** True if the call may succeed later: the service was unreachable, too slow or too busy. */
export function isTemporary(
  error: unknown,
): error is PetstoreClientError<
  'network' | 'timeout' | 'request_timeout' | 'rate_limited' | 'overloaded' | 'unavailable'
> {
  return isPetstoreError(
    error,
    'network',
    'timeout',
    'request_timeout',
    'rate_limited',
    'overloaded',
    'unavailable',
  );
}
