import { experimentalCors } from './experimental.ts';

/** Adds the headers by which a browser decides whether a page of another origin may read the response. */
export type AddCorsHeaders = (headers: Headers, request: Request) => void;

const readableHeaders =
  'Link, Location, ETag, Deprecation, Sunset, Idempotent-Replayed, Retry-After, X-Request-Id, Allow, RateLimit, RateLimit-Policy';
const sendableHeaders = 'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-Request-Id';

const usableMethods = 'GET, HEAD, POST';

/** Lets the pages of these origins call. Undefined when there are none. */
export function createCors(
  allowedOrigins: readonly string[],
  /** True for requests that may also use the experimental operations. */
  isExperimental: (request: Request) => boolean = () => false,
): AddCorsHeaders | undefined {
  if (allowedOrigins.length === 0) return undefined;
  return (headers, request) => {
    // Without Vary, a cache could serve one origin the response made for another.
    headers.append('Vary', 'Origin');
    const origin = request.headers.get('Origin');
    if (origin === null || !allowedOrigins.includes(origin)) return;
    headers.set('Access-Control-Allow-Origin', origin);
    const { header, methods } = experimentalCors;
    headers.set('Access-Control-Expose-Headers', listOf(readableHeaders, headers.has(header) && header));
    if (request.method !== 'OPTIONS' || !request.headers.has('Access-Control-Request-Method')) return;
    const isLarger = isExperimental(request);
    headers.set('Access-Control-Allow-Methods', listOf(usableMethods, isLarger && methods.join(', ')));
    headers.set('Access-Control-Allow-Headers', listOf(sendableHeaders, isLarger && header));
    headers.set('Access-Control-Max-Age', '600');
  };
}

function listOf(names: string, more: string | false): string {
  return more === false ? names : `${names}, ${more}`;
}
