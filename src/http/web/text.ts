import { gzipSync } from 'node:zlib';
import { etagOf } from '../../domain/precondition.ts';
import type { Handler } from '../route.ts';

export function serveText(contentType: string, text: string): Handler {
  const document = { body: text, etag: etagOf(text), headers: { 'Content-Type': contentType } };
  return () => document;
}

/** Serves a text, compressed for callers that accept gzip. */
export function serveCompressed(
  contentType: string,
  text: string,
  ownHeaders: Record<string, string> = {},
): Handler {
  const headers = { 'Content-Type': contentType, ...ownHeaders, Vary: 'Accept-Encoding' };
  const plain = { body: text, etag: etagOf(text), headers };
  const bytes = new Uint8Array(gzipSync(text, { level: 9 }));
  const compressed = {
    body: bytes,
    etag: etagOf(bytes),
    headers: { ...headers, 'Content-Encoding': 'gzip' },
  };
  return ({ request }) =>
    gzipAccepted.test(request.headers.get('Accept-Encoding') ?? '') ? compressed : plain;
}

/** Allows only files of this service: no inline script or style, no other host, no framing. */
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

/** A weight matches in only one way: overlapping digit groups would backtrack over every split of a long number. */
const gzipAccepted = /(?:^|,)\s*gzip\s*(?:;\s*q=(?:1(?:\.0*)?|0?\.0*[1-9]\d*)\s*)?(?:,|$)/i;
