import { hash } from 'node:crypto';
import type { RenderedJson } from '../pet.ts';
import { jsonMediaType, type Answer } from './response.ts';
import { isLarge } from './large-responses.ts';
import { checkIfMatch, isHeldByCaller } from './preconditions.ts';

const cacheControl = 'private, no-cache';

/** The headers of a JSON answer that a caller may keep, but for its version. */
export const cacheableJson = { 'Content-Type': jsonMediaType, 'Cache-Control': cacheControl };

/** The validator is strong; the mark tells apart answers whose bodies are the same. */
export function versionOf(body: RenderedJson, mark = ''): { ETag: string } {
  return { ETag: `"${digestOf(body)}${mark}"` };
}

/**
 * A tag guards against chance, not against an adversary, who could mislead nobody but the holder of its own key: SHA-256
 * would take 1.5 µs of a page's 17. Long bodies are shared among callers by their tag, so theirs has to withstand both.
 */
function digestOf(body: RenderedJson): string {
  return isLarge(body) ? hash('sha256', body, 'base64url').slice(0, 22) : Bun.hash.xxHash3(body).toString(16);
}

/** All the headers of a document that stays the same. */
export function cacheHeaders(contentType: string, body: RenderedJson): Record<string, string> {
  return { 'Content-Type': contentType, ...versionOf(body), 'Cache-Control': cacheControl };
}

/** 200 with its validator, or 304 when the caller holds it; the order is that of RFC 9110, section 13.2.2. */
export function cacheable(
  request: Request,
  body: RenderedJson,
  fixedHeaders: Record<string, string>,
  headers: Record<string, string> = {},
): Answer {
  const etag = headers['ETag'] ?? fixedHeaders['ETag'];
  checkIfMatch(request, etag);
  if (!isHeldByCaller(request, etag)) return { status: 200, fixedHeaders, headers, body };
  const { 'Content-Type': _, ...others } = { ...fixedHeaders, ...headers };
  return { status: 304, headers: others, body: null };
}
