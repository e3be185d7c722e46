/** Adds the headers that let a browser page from another origin read the response. */
export type AddCorsHeaders = (headers: Headers, request: Request) => void;

const readableHeaders =
  'Link, Location, ETag, Deprecation, Sunset, Idempotent-Replayed, Retry-After, X-Request-Id, Allow, RateLimit, RateLimit-Policy';
const sendableHeaders = 'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-Request-Id';
const stability = 'Petstore-Stability';

/** Allows pages from these origins, or from every origin with `*`. Undefined if the list is empty. */
export function createCors(
  allowedOrigins: readonly string[],
  stableOnly: boolean,
): AddCorsHeaders | undefined {
  if (allowedOrigins.length === 0) return undefined;
  const methods = stableOnly ? 'GET, HEAD, POST' : 'GET, HEAD, POST, PUT, PATCH, DELETE';
  const isAllowed = (origin: string) => allowedOrigins.includes('*') || allowedOrigins.includes(origin);
  return (headers, request) => {
    // Without Vary, a cache could serve one origin the response made for another.
    headers.append('Vary', 'Origin');
    const origin = request.headers.get('Origin');
    if (origin === null || !isAllowed(origin)) return;
    headers.set('Access-Control-Allow-Origin', origin);
    headers.set(
      'Access-Control-Expose-Headers',
      headers.has(stability) ? `${readableHeaders}, ${stability}` : readableHeaders,
    );
    if (request.method !== 'OPTIONS' || !request.headers.has('Access-Control-Request-Method')) return;
    headers.set('Access-Control-Allow-Methods', methods);
    headers.set('Access-Control-Allow-Headers', sendableHeaders);
    headers.set('Access-Control-Max-Age', '600');
  };
}
