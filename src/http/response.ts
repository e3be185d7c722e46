import { type ErrorCode, PetstoreError } from '../domain/error.ts';
import { preconditionFailed, type Preconditions, findUnmetPrecondition } from '../domain/precondition.ts';
import { UnreadBodyError } from './body.ts';

export type ResponseBody = string | Uint8Array<ArrayBuffer>;

/** What an operation returns. Only `endpoint.ts` turns it into a `Response` and knows all of its headers. */
export interface Representation {
  body: ResponseBody | null;
  /** 200 by default. */
  status?: number;
  /** The code of an error, for the log and the metrics. */
  code?: ErrorCode;
  /** Identifies this content: callers may keep it if they revalidate it (RFC 9110, section 13). */
  etag?: string;
  /** The `Link` to the next page. */
  link?: string;
  /** They replace the endpoint's headers of the same name. */
  headers?: Record<string, string>;
}

export const jsonMediaType = 'application/json';

/**
 * The headers of every response, unless a handler replaces them. They follow OWASP: no sniffing, framing or scripts.
 */
export function baseHeaders(isSecure: boolean): Record<string, string> {
  return {
    'Content-Type': jsonMediaType,
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Referrer-Policy': 'no-referrer',
    ...(isSecure && { 'Strict-Transport-Security': 'max-age=31536000' }),
  };
}

/** The error body with its three fields, and the headers that belong to its code. */
export function errorResponse(error: PetstoreError, headers: Record<string, string> = {}): Representation {
  const { code, message, status } = error;
  return {
    status,
    code,
    headers: {
      'Cache-Control': 'no-store',
      ...headersOfCode[code],
      ...(error instanceof UnreadBodyError && { Connection: 'close' }),
      ...headers,
    },
    body: JSON.stringify({ code, message, status }),
  };
}

/** The error as the caller sees it. An unexpected error shows only the id under which it was logged. */
export function visibleErrorOf(error: unknown, requestId: string): PetstoreError {
  if (error instanceof PetstoreError && error.code !== 'internal') return error;
  return new PetstoreError(
    'internal',
    `Something went wrong on our side. If this keeps happening, report it with the request id ${requestId}.`,
  );
}

const retryInOneSecond = { 'Retry-After': '1' };

/** RFC 6750, section 3.1. A request that carried no credential gets no error attribute. */
const headersOfCode: Partial<Record<ErrorCode, Record<string, string>>> = {
  unauthorized: { 'WWW-Authenticate': 'Bearer realm="petstore"' },
  invalid_api_key: { 'WWW-Authenticate': 'Bearer realm="petstore", error="invalid_token"' },
  forbidden: { 'WWW-Authenticate': 'Bearer realm="petstore", error="insufficient_scope"' },
  overloaded: retryInOneSecond,
  unavailable: retryInOneSecond,
};

/** What the request demands of its target; undefined if it demands nothing. */
export function preconditionsOf({ headers }: Request): Preconditions | undefined {
  const ifMatch = headers.get('If-Match') ?? undefined;
  const ifNoneMatch = headers.get('If-None-Match') ?? undefined;
  return ifMatch === undefined && ifNoneMatch === undefined ? undefined : { ifMatch, ifNoneMatch };
}

/** Evaluates `If-Match` (412) and `If-None-Match` (304). */
export function evaluatePreconditions(request: Request, representation: Representation): Representation {
  const { etag } = representation;
  const preconditions = etag === undefined ? undefined : preconditionsOf(request);
  if (!preconditions) return representation;
  const unmet = findUnmetPrecondition(preconditions, etag);
  if (unmet === 'if-match') throw preconditionFailed(unmet);
  return unmet ? { ...representation, status: 304, body: null } : representation;
}
