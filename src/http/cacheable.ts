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

/** The validator is strong, and covers whatever can change of the answer. */
export function cacheHeaders(contentType: string, ...validated: RenderedJson[]): CacheHeaders {
  const hashes = validated.map((part) => hash('sha256', part, 'base64url').slice(0, 22));
  return {
    'Content-Type': contentType,
    ETag: `"${hashes.join('.')}"`,
    'Cache-Control': 'private, no-cache',
  };
}

function isHeld(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === etag);
}
