import { toDate } from './wire/json.ts';
import { findLink } from './wire/link.ts';

/** The operations of the service. */
export type Operation =
  | 'listPets'
  | 'createPet'
  | 'getPet'
  | 'updatePet'
  | 'deletePet'
  | 'searchPets'
  | 'listCategories'
  | 'getCategory'
  | 'putCategory'
  | 'deleteCategory'
  | 'listOrders'
  | 'listEvents'
  | 'getKey';

/** The service's notice about an operation that will be removed. */
export interface DeprecationNotice {
  operation: Operation;
  /** When it was or will be deprecated (RFC 9745). */
  deprecatedAt: Date | undefined;
  /** When it will be removed (RFC 8594). */
  sunsetAt: Date | undefined;
  /** The URL of the documentation about it; outside a browser, a path if `baseUrl` is a path. */
  documentation: string | undefined;
  /** The URL of its replacement. */
  successor: string | undefined;
}

/** Reads the notice from a response's headers. */
export function readDeprecation(
  operation: Operation,
  { headers, url }: { headers: Headers; url: string },
): DeprecationNotice | undefined {
  const deprecation = headers.get('Deprecation');
  if (deprecation === null) return undefined;
  const [, seconds] = /^@(-?\d+)$/.exec(deprecation) ?? [];
  const link = headers.get('Link');
  return {
    operation,
    deprecatedAt: seconds === undefined ? undefined : new Date(Number(seconds) * 1000),
    sunsetAt: toDate(headers.get('Sunset')),
    documentation: resolve(findLink(link, 'deprecation'), url),
    successor: resolve(findLink(link, 'successor-version'), url),
  };
}

/** A base without a host gets that of the page. Outside a page, the reference stays as the service sent it. */
function resolve(reference: string | undefined, base: string): string | undefined {
  if (reference === undefined) return undefined;
  const page = (globalThis as { location?: { href: string } }).location?.href;
  const from = URL.canParse(base, page) ? new URL(base, page).href : undefined;
  return URL.canParse(reference, from) ? new URL(reference, from).href : reference;
}
