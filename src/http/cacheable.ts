import { hash } from 'node:crypto';
import type { RenderedJson } from '../pet.ts';
import type { Answer } from './answer.ts';

/** The headers of a 200 that a caller may keep: what it is, and which version of it. */
export interface CacheHeaders extends Record<string, string> {
  'Content-Type': string;
  ETag: string;
  'Cache-Control': string;
}

/** 200 with its validator, or 304 when the caller holds this very answer (RFC 9110, section 13.1.2). */
export function cacheable(request: Request, body: RenderedJson, headers: CacheHeaders): Answer {
  const held = request.headers.get('If-None-Match');
  if (held === null || !isHeld(held, headers.ETag)) return { status: 200, headers, body };
  const { 'Content-Type': _, ...others } = headers;
  return { status: 304, headers: others, body: null };
}

/** The validator is strong; the mark tells apart answers whose bodies are the same. */
export function cacheHeaders(contentType: string, body: RenderedJson, mark = ''): CacheHeaders {
  return {
    'Content-Type': contentType,
    ETag: `"${hash('sha256', body, 'base64url').slice(0, 22)}${mark}"`,
    'Cache-Control': 'private, no-cache',
  };
}

function isHeld(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === etag);
}
