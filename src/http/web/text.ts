import { gzipSync } from 'node:zlib';
import type { RenderedJson } from '../../pet.ts';
import { cacheable, cacheHeaders } from '../cacheable.ts';
import type { Handler } from '../endpoint.ts';

/** Serves a text as it is. */
export function serveText(contentType: string, text: string): Handler {
  const headers = cacheHeaders(contentType, text);
  return ({ request }) => cacheable(request, text, headers);
}

/** Serves a text, compressed for callers that accept gzip. */
export function serveCompressed(
  contentType: string,
  text: string,
  ownHeaders: Record<string, string> = {},
): Handler {
  const variantOf = (body: RenderedJson, encoding: Record<string, string>) => {
    const headers = cacheHeaders(contentType, body);
    return { body, headers: { ...headers, ...ownHeaders, ...encoding, Vary: 'Accept-Encoding' } };
  };
  const plain = variantOf(text, {});
  const compressed = variantOf(new Uint8Array(gzipSync(text, { level: 9 })), { 'Content-Encoding': 'gzip' });
  return ({ request }) => {
    const { body, headers } = acceptsGzip(request) ? compressed : plain;
    return cacheable(request, body, headers);
  };
}

/** Allows files of this service only: no inline script or style, no other host, no frame around it. */
const contentPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export function serveHtml(html: string): Handler {
  return serveCompressed('text/html; charset=utf-8', html, { 'Content-Security-Policy': contentPolicy });
}

/** Matches a weight in one way only: two parts that accept the same digits would try every split of a long number. */
const gzipAccepted = /(?:^|,)\s*gzip\s*(?:;\s*q=(?:1(?:\.0*)?|0?\.0*[1-9]\d*)\s*)?(?:,|$)/i;

function acceptsGzip(request: Request): boolean {
  return gzipAccepted.test(request.headers.get('Accept-Encoding') ?? '');
}
