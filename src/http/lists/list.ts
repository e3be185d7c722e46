import { etagOf } from '../../domain/precondition.ts';
import type { Page } from '../../stores/store.ts';
import { andThen, type MaybePromise } from '../../system/maybe-promise.ts';
import type { Handler } from '../route.ts';
import { type CursorKind, cursorAfter } from './cursor.ts';
import { type ListKind, type ListQuery, parseListQuery } from './query.ts';

/** Creates the handler of a list. `read` reads one page. */
export function createList<Query extends ListQuery>(
  kind: ListKind<Query>,
  read: (query: Query, request: Request) => MaybePromise<Page>,
): Handler {
  return ({ request }) => {
    const query = parseListQuery(request.url, kind);
    return andThen(read(query, request), (page) => {
      const link = nextLink(query, page, kind);
      return { body: page.json, etag: etagOfPage(page), ...(link !== undefined && { link }) };
    });
  };
}

/** The `Link` to the next page (RFC 8288). A relative link with only a query survives any proxy. */
export function nextLink(query: ListQuery, { next }: Page, kind: CursorKind): string | undefined {
  if (next === undefined) return undefined;
  const { limit, status, ownParameters } = query;
  const filters = `${status ? `&status=${status}` : ''}${ownParameters === undefined ? '' : `&${ownParameters}`}`;
  return `<?limit=${limit}${filters}&cursor=${cursorAfter(next, query, kind)}>; rel="next"`;
}

/** Callers whose reads were joined share a page, and so its hash. */
const etags = new WeakMap<Page, string>();

function etagOfPage(page: Page): string {
  let etag = etags.get(page);
  if (etag === undefined) {
    // The mark makes the Link part of the ETag: a page that gains a successor changes only there.
    etag = etagOf(page.json, page.next === undefined ? '' : '.more');
    etags.set(page, etag);
  }
  return etag;
}
