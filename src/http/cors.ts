/** Which web pages of other origins may call: those that the operator lists, and nobody by default. */
export interface Cors {
  isNeeded: boolean;
  /** Adds the headers with which a browser decides whether a page may read the answer. */
  addTo: (headers: Headers, request: Request) => void;
}

const readableHeaders =
  'Link, Location, ETag, Deprecation, Sunset, Idempotent-Replayed, Retry-After, X-Request-Id, Allow, RateLimit, RateLimit-Policy';
const sendableHeaders = 'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-Request-Id';

export function createCors(allowedOrigins: readonly string[]): Cors {
  return {
    isNeeded: allowedOrigins.length > 0,
    addTo(headers, request) {
      // Without Vary, a cache could hand one origin the answer that was made for another.
      headers.append('Vary', 'Origin');
      const origin = request.headers.get('Origin');
      if (origin === null || !allowedOrigins.includes(origin)) return;
      headers.set('Access-Control-Allow-Origin', origin);
      headers.set('Access-Control-Expose-Headers', readableHeaders);
      if (request.method !== 'OPTIONS' || !request.headers.has('Access-Control-Request-Method')) return;
      headers.set('Access-Control-Allow-Methods', 'GET, HEAD, POST');
      headers.set('Access-Control-Allow-Headers', sendableHeaders);
      headers.set('Access-Control-Max-Age', '600');
    },
  };
}
