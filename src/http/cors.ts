/** Lets web pages of other origins call: those that the operator lists, none by default. */
export interface Cors {
  isNeeded: boolean;
  /** Adds the headers by which a browser decides whether a page may read the response. */
  addTo: (headers: Headers, request: Request) => void;
}

const readableHeaders =
  'Link, Location, ETag, Deprecation, Sunset, Idempotent-Replayed, Retry-After, X-Request-Id, Allow, RateLimit, RateLimit-Policy';
const sendableHeaders = 'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-Request-Id';

export function createCors(allowedOrigins: readonly string[]): Cors {
  return {
    isNeeded: allowedOrigins.length > 0,
    addTo(headers, request) {
      // Without Vary, a cache could serve one origin the response made for another.
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
