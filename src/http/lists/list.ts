import { andThen, type MaybePromise } from '../maybe-promise.ts';
import type { Page } from '../../domain/paging.ts';
import type { ResponseCache } from './cache.ts';
import { cacheable } from '../conditional.ts';
import type { Handler } from '../route.ts';
import { nextLink, parsePageRequest, type ListKind, type ListRequest } from './paging.ts';
import type { PlainResponse } from '../response.ts';

/** Creates the handler of a list. `read` reads one page from the store. */
export function createList<Asked extends ListRequest>(
  kind: ListKind<Asked>,
  cache: ResponseCache,
  read: (asked: Asked, request: Request) => MaybePromise<Page>,
): Handler {
  const readPage = (asked: Asked, request: Request): MaybePromise<PlainResponse> =>
    andThen(read(asked, request), (page) => {
      const link = nextLink(asked, page, kind);
      // The mark makes the Link part of the ETag: a page that gains a successor changes only there.
      return link === undefined ? cacheable(page.json) : cacheable(page.json, { Link: link }, '.more');
    });
  return ({ request }) =>
    cache.respond(parsePageRequest(request.url, kind), (asked) => readPage(asked, request));
}
