import { statusOfCode, type ErrorCode } from '../../domain/error.ts';
import { renderInline, renderStatus, renderTerms } from '../markup.ts';

const advice: Record<ErrorCode, string> = {
  unauthorized: 'Send one key in the `Authorization` header.',
  invalid_api_key: 'The key is unknown, expired or revoked. Ask for another one.',
  not_found: 'No such pet, or no such path.',
  method_not_allowed: 'Use a method from the `Allow` header.',
  invalid_parameter: 'Fix the parameter or header that the message names.',
  invalid_cursor: 'Start again at the first page and follow its links unchanged.',
  invalid_json: 'Send valid JSON in UTF-8.',
  invalid_pet: 'Fix the fields that the message names. It names every wrong field.',
  payload_too_large: 'Send at most 64 KiB.',
  unsupported_media_type: 'Send `Content-Type: application/json`.',
  idempotency_conflict: 'This key was used for another pet. Choose a new key for a new pet.',
  precondition_failed: 'The pet or the page does not meet your condition. Fetch it again, then decide.',
  forbidden: 'The key is read-only: it may list and fetch, and change nothing. Ask for another one.',
  rate_limited: 'Wait as long as `Retry-After` says, then retry.',
  overloaded: 'Too many requests are waiting. Wait as long as `Retry-After` says, then retry.',
  unavailable: 'The store is not available now. Wait as long as `Retry-After` says, then retry.',
  internal: 'The service failed. If it keeps failing, report the request id.',
};

/** Every error code with its status and what to do about it. Responses link here. */
export function renderErrorCodes(): string {
  const codes = (Object.keys(advice) as ErrorCode[]).toSorted(
    (one, other) => statusOfCode[one] - statusOfCode[other],
  );
  return renderTerms(
    codes.map((code) => ({
      id: `error-${code}`,
      term: `${renderStatus(statusOfCode[code])} <code>${code}</code>`,
      description: renderInline(advice[code]),
    })),
    'errors',
  );
}
