import type { PetstoreError } from '../error.ts';
import type { RenderedJson } from '../pet.ts';

/** What a handler says; `endpoint.ts` turns it into a `Response` with the headers that every answer has. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: RenderedJson | null;
}

export const jsonType = { 'Content-Type': 'application/json' };

/** How long a caller is asked to wait before it tries a 503 again. */
const retryAfterSeconds = '1';

/** The three-field body, and the headers that belong to its status. */
export function errorAnswer({ code, message, status }: PetstoreError): Answer {
  return {
    status,
    headers: { ...jsonType, 'Cache-Control': 'no-store', ...headersOfStatus(code, status) },
    body: JSON.stringify({ code, message, status }),
  };
}

function headersOfStatus(code: string, status: number): Record<string, string> {
  switch (status) {
    case 401: {
      // RFC 6750, section 3.1: no error attribute for a request that carried no credential.
      const reason = code === 'invalid_api_key' ? ', error="invalid_token"' : '';
      return { 'WWW-Authenticate': `Bearer realm="petstore"${reason}` };
    }
    case 413:
      // The rest of a body that is not wanted is not read either.
      return { Connection: 'close' };
    case 503:
      return { 'Retry-After': retryAfterSeconds };
    default:
      return {};
  }
}
