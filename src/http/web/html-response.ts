import { gzipSync } from 'node:zlib';
import { cacheable } from '../conditional.ts';
import type { PlainResponse } from '../response.ts';

/** A text that is sent compressed to those who take it so. */
export interface PageAnswer {
  for(request: Request): PlainResponse;
}

/** Nothing but files of this service: no script or style in the page itself, no other host, no frame around it. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export function createHtmlAnswer(html: string): PageAnswer {
  return compressible('text/html; charset=utf-8', html, { 'Content-Security-Policy': pagePolicy });
}

export interface AssetAnswerOptions {
  contentType: string;
  body: string;
  /** True under a name that changes with the content, which may be kept for good. */
  isImmutable: boolean;
}

export function createAssetAnswer({ contentType, body, isImmutable }: AssetAnswerOptions): PageAnswer {
  return compressible(
    contentType,
    body,
    isImmutable ? { 'Cache-Control': 'public, max-age=31536000, immutable' } : {},
  );
}

function compressible(contentType: string, text: string, headers: Record<string, string>): PageAnswer {
  const ownHeaders = { 'Content-Type': contentType, ...headers, Vary: 'Accept-Encoding' };
  const plain = cacheable(text, ownHeaders);
  const bytes = new Uint8Array(gzipSync(text, { level: 9 }));
  const compressed = cacheable(bytes, { ...ownHeaders, 'Content-Encoding': 'gzip' });
  return { for: (request) => (takesGzip(request) ? compressed : plain) };
}

/** A weight matches in one way only: two places that take the same digits would try every split of a long number. */
const gzipAccepted = /(?:^|,)\s*gzip\s*(?:;\s*q=(?:1(?:\.0*)?|0?\.0*[1-9]\d*)\s*)?(?:,|$)/i;

function takesGzip(request: Request): boolean {
  return gzipAccepted.test(request.headers.get('Accept-Encoding') ?? '');
}
