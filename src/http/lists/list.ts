import { andThen, type MaybePromise } from '../maybe-promise.ts';
import type { Page } from '../../domain/paging.ts';
import { PageCache, type CacheMetrics } from './cache.ts';
import { etagOf } from '../conditional.ts';
import type { Handler } from '../route.ts';
import { nextLink, parsePageRequest, type ListKind, type ListRequest } from './paging.ts';

interface ListOptions {
  /** The version of the store that `read` reads from. */
  version: () => number | undefined;
  metrics: CacheMetrics | undefined;
}

/** Creates the handler of a list. `read` reads one page from the store. */
export function createList<Asked extends ListRequest>(
  kind: ListKind<Asked>,
  read: (asked: Asked, request: Request) => MaybePromise<Page>,
  { version, metrics }: ListOptions,
): Handler {
  const cache = new PageCache(metrics);
  return ({ request }) => {
    const asked = parsePageRequest(request.url, kind);
    // Read the version before the page: a commit in between then only drops the page early.
    const readAt = version();
    const kept = cache.get(asked, readAt);
    if (kept) return kept;
    return andThen(read(asked, request), (found) => {
      const link = nextLink(asked, found, kind);
      // The mark makes the Link part of the ETag: a page that gains a successor changes only there.
      const etag = etagOf(found.json, link === undefined ? '' : '.more');
      const page = { body: found.json, etag, ...(link !== undefined && { link }) };
      cache.put(asked, readAt, page);
      return page;
    });
  };
}
