/** Which web pages of other origins may call: those that the operator lists, and nobody by default. */
export interface Cors {
  isNeeded: boolean;
  headersFor(request: Request): Record<string, string>;
}

const readableHeaders =
  'Link, Location, ETag, Deprecation, Sunset, Idempotent-Replayed, Retry-After, X-Request-Id, Allow';
const sendableHeaders = 'Authorization, Content-Type, Idempotency-Key, If-None-Match, X-Request-Id';

export function createCors(allowedOrigins: readonly string[]): Cors {
  return {
    isNeeded: allowedOrigins.length > 0,
    headersFor(request) {
      const origin = request.headers.get('Origin');
      // Without Vary, a cache could hand one origin the answer that was made for another.
      if (origin === null || !allowedOrigins.includes(origin)) return { Vary: 'Origin' };
      const isPreflight =
        request.method === 'OPTIONS' && request.headers.has('Access-Control-Request-Method');
      return {
        Vary: 'Origin',
        'Access-Control-Allow-Origin': origin,
        'Access-Control-Expose-Headers': readableHeaders,
        ...(isPreflight && {
          'Access-Control-Allow-Methods': 'GET, HEAD, POST',
          'Access-Control-Allow-Headers': sendableHeaders,
          'Access-Control-Max-Age': '600',
        }),
      };
    },
  };
}
