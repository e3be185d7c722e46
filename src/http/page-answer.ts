import { gzipSync } from 'node:zlib';
import type { Answer } from './answer.ts';

/** A text that is sent compressed to those who take it so. */
export interface PageAnswer {
  for(request: Request): Answer;
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
  return compressible(html, {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-cache',
    'Content-Security-Policy': pagePolicy,
  });
}

/** The name of an asset changes with its content, so it may be kept for good. */
export function createAssetAnswer({ contentType, body }: { contentType: string; body: string }): PageAnswer {
  return compressible(body, {
    'Content-Type': contentType,
    'Cache-Control': 'public, max-age=31536000, immutable',
  });
}

function compressible(text: string, headers: Record<string, string>): PageAnswer {
  const vary = { ...headers, Vary: 'Accept-Encoding' };
  const plain: Answer = { status: 200, headers: vary, body: text };
  const compressed: Answer = {
    status: 200,
    headers: { ...vary, 'Content-Encoding': 'gzip' },
    body: new Uint8Array(gzipSync(text, { level: 9 })),
  };
  return { for: (request) => (takesGzip(request) ? compressed : plain) };
}

function takesGzip(request: Request): boolean {
  const accepted = request.headers.get('Accept-Encoding') ?? '';
  return /(?:^|,)\s*gzip\s*(?:;\s*q=(?:1|0?\.\d*[1-9])\d*\s*)?(?:,|$)/i.test(accepted);
}
