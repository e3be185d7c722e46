import { findLink } from './link.ts';

/** What the service says about an operation that will go away. */
export interface DeprecationNotice {
  operation: 'listPets' | 'createPet' | 'getPet';
  /** Since when it is deprecated (RFC 9745); in the future when it is only announced. */
  deprecatedAt: Date | undefined;
  /** When it is to be removed (RFC 8594). */
  sunsetAt: Date | undefined;
  /** The page that explains it. */
  documentation: string | undefined;
  /** What replaces it. */
  successor: string | undefined;
}

/** Reads the notice from the headers of an answer, if they carry one. */
export function readDeprecation(
  operation: DeprecationNotice['operation'],
  { headers, url }: { headers: Headers; url: string },
): DeprecationNotice | undefined {
  const deprecation = headers.get('Deprecation');
  if (deprecation === null) return undefined;
  const link = headers.get('Link');
  return {
    operation,
    deprecatedAt: toDate(Number(/^@(-?\d+)$/.exec(deprecation)?.[1]) * 1000),
    sunsetAt: toDate(Date.parse(headers.get('Sunset') ?? '')),
    documentation: resolve(findLink(link, 'deprecation'), url),
    successor: resolve(findLink(link, 'successor-version'), url),
  };
}

function toDate(timeMs: number): Date | undefined {
  return Number.isNaN(timeMs) ? undefined : new Date(timeMs);
}

function resolve(reference: string | undefined, base: string): string | undefined {
  return reference === undefined ? undefined : new URL(reference, base).href;
}
