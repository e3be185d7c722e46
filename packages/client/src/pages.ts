import { findLink } from './link.ts';
import { unexpectedResponse, type Call, type Send } from './send.ts';

/** One page of any list. */
interface Page<Item> {
  items: Item[];
  next?: string;
}

/** Which page to get: the first one of a filter, or the one that `next` names. */
interface PageRequest {
  limit?: number | undefined;
  status?: string | undefined;
  next?: string | undefined;
  signal?: AbortSignal | undefined;
}

export type GetPage<Item> = (request: PageRequest) => Promise<Page<Item>>;

/** Returns a function that gets one page of the list at `call.url`. */
export function createGetPage<Item>(
  send: Send,
  call: Pick<Call, 'operation' | 'url' | 'headers'>,
  toItems: (body: unknown) => Item[] | undefined,
): GetPage<Item> {
  return async ({ next, signal, ...filter }) => {
    if (next !== undefined && !isQuery(next)) throw new TypeError('next must come from a page.');
    const response = await send({
      ...call,
      method: 'GET',
      url: call.url + (next ?? queryOf(filter)),
      signal,
    });
    const items = toItems(response.body) ?? unexpectedResponse(response);
    const following = findLink(response.headers.get('Link'), 'next');
    if (following === undefined) return { items };
    return isQuery(following) ? { items, next: following } : unexpectedResponse(response);
  };
}

/** Yields the items of all pages. After an abort it yields none, not even of a page that is already here. */
export async function* eachItem<Item>(
  getPage: GetPage<Item>,
  { limit = 100, status, signal }: Omit<PageRequest, 'next'>,
): AsyncGenerator<Item, void, undefined> {
  let page = await getPage({ limit, status, signal });
  for (;;) {
    for (const item of page.items) {
      signal?.throwIfAborted();
      yield item;
    }
    signal?.throwIfAborted();
    if (page.next === undefined) return;
    page = await getPage({ next: page.next, signal });
  }
}

function queryOf({ limit, status }: PageRequest): string {
  const query = new URLSearchParams();
  if (limit !== undefined) query.set('limit', String(limit));
  if (status !== undefined) query.set('status', status);
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

/** The service links by query only. Anything else could send the API key to another host. */
function isQuery(reference: string): boolean {
  return reference.startsWith('?');
}
