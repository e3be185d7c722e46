import { PetstoreError } from './error.ts';

/** What a request demands of its target's ETag: two headers, as the caller sent them (RFC 9110, section 13). */
export interface Preconditions {
  ifMatch?: string | undefined;
  ifNoneMatch?: string | undefined;
}

export type UnmetPrecondition = 'if-match' | 'if-none-match';

const anyTag = '*';

/** 192 bits in base64url. */
const digestLength = 32;

/**
 * A cryptographic hash: with any other, a caller could make two versions of a pet with one tag. It has no secret, so all
 * replicas agree. The mark distinguishes responses with equal bodies.
 */
export function etagOf(body: string | Uint8Array<ArrayBuffer>, mark = ''): string {
  return `"${Bun.SHA512_256.hash(body, 'base64url').slice(0, digestLength)}${mark}"`;
}

/** `*`, or tags with their quotes, separated by commas. */
const readableTags = /^(?:\*|(?:[ \t,]*(?:W\/)?"[!#-~\u0080-\uffff]*"(?=[ \t]*(?:,|$)))+[ \t,]*)$/;

/** Refuses tags that cannot be read: ignored, they would let a change through that depends on them. */
export function refuseUnreadableTags({ ifMatch = anyTag, ifNoneMatch = anyTag }: Preconditions): void {
  for (const [name, tags] of [
    ['If-Match', ifMatch],
    ['If-None-Match', ifNoneMatch],
  ] as const) {
    if (readableTags.test(tags.trim())) continue;
    throw new PetstoreError(
      'invalid_parameter',
      `${name} must be * or one or more ETags with their quotes, separated by commas.`,
    );
  }
}

/** Evaluates both, in the order of RFC 9110, section 13.2.2. There is no tag if the target does not exist. */
export function findUnmetPrecondition(
  { ifMatch, ifNoneMatch }: Preconditions,
  etag: string | undefined,
): UnmetPrecondition | undefined {
  // The comparison is strong, so a weak tag never matches.
  if (ifMatch !== undefined && !includesTag(ifMatch, etag)) return 'if-match';
  // The comparison is weak.
  if (ifNoneMatch !== undefined && includesTag(ifNoneMatch.replaceAll('W/"', '"'), etag))
    return 'if-none-match';
  return undefined;
}

/** Our tags contain no comma, so a tag with one is split in two, and neither part matches. */
function includesTag(tags: string, etag: string | undefined): boolean {
  if (etag === undefined) return false;
  return tags.trim() === anyTag || tags.split(',').some((tag) => tag.trim() === etag);
}

export function preconditionFailed(unmet: UnmetPrecondition): PetstoreError {
  return new PetstoreError(
    'precondition_failed',
    unmet === 'if-match'
      ? 'None of the tags in If-Match is the current ETag. Get the current version, then decide.'
      : 'If-None-Match matches the current ETag, so nothing was changed.',
  );
}

/** A create accepts only `*`: a tag names one page, which may change between the check and the commit. */
export function refuseTagOfCreate({ ifMatch = anyTag }: Preconditions): void {
  if (ifMatch.trim() === anyTag) return;
  throw new PetstoreError(
    'precondition_failed',
    'A create cannot depend on an ETag. Send it without If-Match; an Idempotency-Key makes it safe to repeat.',
  );
}
