import { PetstoreError } from '../domain/error.ts';
import type { Representation, ResponseBody } from './response.ts';

const anyTag = '*';

/** 192 bits in base64url. */
const digestLength = 32;

/**
 * A cryptographic hash: with any other, a caller could make two versions of a pet with one tag. It has no secret, so all
 * replicas agree. The mark distinguishes responses with equal bodies.
 */
export function etagOf(body: ResponseBody, mark = ''): string {
  return `"${Bun.SHA512_256.hash(body, 'base64url').slice(0, digestLength)}${mark}"`;
}

/** Evaluates `If-Match` (412) and `If-None-Match` (304), in the order of RFC 9110, section 13.2.2. */
export function conditional(request: Request, representation: Representation): Representation {
  const { etag } = representation;
  if (etag === undefined) return representation;
  checkIfMatch(request, etag);
  return isHeldByCaller(request, etag) ? { ...representation, status: 304, body: null } : representation;
}

/** Whether a change depends on the tag of its target; `If-Match: *` only requires that the target exists. */
export function dependsOnTag({ headers }: Request): boolean {
  return headers.has('If-None-Match') || (headers.get('If-Match') ?? anyTag).trim() !== anyTag;
}

/** Evaluates both headers for a change to a target with this tag: either may refuse it (RFC 9110, section 13.1). */
export function checkChange(request: Request, etag: string): void {
  checkIfMatch(request, etag);
  if (!isHeldByCaller(request, etag)) return;
  throw new PetstoreError(
    'precondition_failed',
    'If-None-Match names the ETag of what is here now, so nothing was changed.',
  );
}

/** A create accepts only `*`: a tag names one page, which may change between the check and the commit. */
export function checkIfMatchOfCreate(request: Request): void {
  const demanded = request.headers.get('If-Match');
  if (demanded === null || demanded.trim() === anyTag) return;
  throw new PetstoreError(
    'precondition_failed',
    'A create cannot depend on an ETag. Send it without If-Match; an Idempotency-Key makes it safe to repeat.',
  );
}

/** RFC 9110, section 13.1.1: the comparison is strong, so a weak tag never matches. */
function checkIfMatch(request: Request, etag: string): void {
  const demanded = request.headers.get('If-Match');
  if (demanded === null || demanded.trim() === anyTag || tagsOf(demanded).includes(etag)) return;
  throw new PetstoreError(
    'precondition_failed',
    'None of the tags in If-Match is the ETag of what is here now. Get it again, then decide.',
  );
}

/** RFC 9110, section 13.1.2: the comparison is weak. */
function isHeldByCaller(request: Request, etag: string): boolean {
  const held = request.headers.get('If-None-Match');
  if (held === null) return false;
  return held.trim() === anyTag || tagsOf(held).some((tag) => tag.replace(/^W\//, '') === etag);
}

/** Our tags contain no comma, so a tag with one is split in two, and neither part matches. */
function tagsOf(list: string): string[] {
  return list.split(',').map((tag) => tag.trim());
}
