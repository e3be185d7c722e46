import type { PetstoreError } from '../error.ts';
import type { RenderedJson } from '../pet.ts';
import { UnreadBodyError } from './body.ts';

/** What a handler says; `endpoint.ts` turns it into a `Response` with the headers that every answer has. */
export interface Answer {
  status: number;
  /** The same object each time: what is made of it is kept. */
  fixedHeaders?: Record<string, string>;
  /** Those of this one answer. */
  headers: Record<string, string>;
  body: RenderedJson | null;
}

export const jsonMediaType = 'application/json';

/** How long a caller is asked to wait before it tries a 503 again. */
const retryAfterSeconds = '1';

/** The three-field body, and the headers that belong to its status. */
export function errorAnswer(error: PetstoreError): Answer {
  const { code, message, status } = error;
  return {
    status,
    headers: {
      'Content-Type': jsonMediaType,
      'Cache-Control': 'no-store',
      ...headersOfStatus(code, status),
      ...(error instanceof UnreadBodyError && { Connection: 'close' }),
    },
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
    case 503:
      return { 'Retry-After': retryAfterSeconds };
    default:
      return {};
  }
}
