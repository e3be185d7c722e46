import { hash } from 'node:crypto';
import type { RenderedJson } from '../pet.ts';
import type { Answer } from './answer.ts';

/** 200 with its validator, or 304 when the caller holds this very answer (RFC 9110, section 13.1.2). */
export function cacheable(request: Request, body: RenderedJson, headers: ValidatedHeaders): Answer {
  const { 'Content-Type': contentType, ...others } = headers;
  const cacheHeaders = { ...others, 'Cache-Control': 'private, no-cache' };
  const held = request.headers.get('If-None-Match');
  if (held !== null && isHeld(held, headers.ETag)) return { status: 304, headers: cacheHeaders, body: null };
  return { status: 200, headers: { ...cacheHeaders, 'Content-Type': contentType }, body };
}

/** The headers of a 200: what it is, and which version of it. */
export interface ValidatedHeaders extends Record<string, string> {
  'Content-Type': string;
  ETag: string;
}

/** A strong validator of everything that it is given. */
export function etagOf(...parts: RenderedJson[]): string {
  return `"${parts.map((part) => hash('sha256', part, 'base64url').slice(0, 22)).join('.')}"`;
}

function isHeld(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === etag);
}
