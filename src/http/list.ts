import type { Page } from '../domain/pet.ts';
import type { ResponseCache } from './cache.ts';
import { cacheable } from './conditional.ts';
import type { Handler } from './endpoint.ts';
import { nextLink, parsePageRequest, type ListKind, type ListRequest } from './paging.ts';
import type { PlainResponse } from './response.ts';

/** Makes the handler of a list. `read` reads one page from the store. */
export function createList<Status extends string>(
  kind: ListKind<Status>,
  cache: ResponseCache,
  read: (request: ListRequest<Status>) => Page | Promise<Page>,
): Handler {
  const pageResponse = (request: ListRequest<Status>, page: Page): PlainResponse => {
    const link = nextLink(request, page, kind);
    // The mark puts the Link into the ETag: a page that gains a successor changes only there.
    return link === undefined ? cacheable(page.json) : cacheable(page.json, { Link: link }, '.more');
  };
  const readPage = (request: ListRequest<Status>): PlainResponse | Promise<PlainResponse> => {
    const page = read(request);
    return page instanceof Promise
      ? page.then((arrived) => pageResponse(request, arrived))
      : pageResponse(request, page);
  };
  return ({ request }) => cache.respond(parsePageRequest(request.url, kind), readPage);
}
