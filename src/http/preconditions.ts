import { PetstoreError } from '../error.ts';

const anyTag = '*';

/**
 * Fails with `precondition_failed` when the caller demands another representation than the one with this tag (RFC 9110,
 * section 13.1.1). The comparison is strong: a weak tag never matches.
 */
export function checkIfMatch(request: Request, etag: string | undefined): void {
  const demanded = request.headers.get('If-Match');
  if (demanded === null || demanded.trim() === anyTag || tagsOf(demanded).includes(etag ?? '')) return;
  throw new PetstoreError(
    'precondition_failed',
    'None of the tags in If-Match is the ETag of what is here now. Get it again, then decide.',
  );
}

/** Of a create only `*` holds: a tag names one page, and a page may change between a look at it and the commit. */
export function checkIfMatchOfCreate(request: Request): void {
  const demanded = request.headers.get('If-Match');
  if (demanded === null || demanded.trim() === anyTag) return;
  throw new PetstoreError(
    'precondition_failed',
    'A create cannot depend on an ETag. Send it without If-Match; an Idempotency-Key makes it safe to repeat.',
  );
}

/** Whether the caller holds the representation with this tag already (RFC 9110, section 13.1.2); weak tags count. */
export function isHeldByCaller(request: Request, etag: string | undefined): boolean {
  const held = request.headers.get('If-None-Match');
  if (held === null) return false;
  return held.trim() === anyTag || tagsOf(held).some((tag) => tag.replace(/^W\//, '') === etag);
}

/** No tag of ours has a comma, so one that has is cut in two and still matches none. */
function tagsOf(list: string): string[] {
  return list.split(',').map((tag) => tag.trim());
}
