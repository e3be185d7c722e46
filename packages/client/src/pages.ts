import { findLink } from './wire/link.ts';
import { requireBigint } from './pet.ts';
import { unexpectedResponse, type Call, type Send } from './wire/send.ts';

/** One page of any list. */
interface Page<Item> {
  items: Item[];
  next?: string;
}

/** Selects the first page of a filter, whose fields are beside these, or the page that `next` names. */
interface PageOptions {
  next?: string | undefined;
  limit?: number | undefined;
  signal?: AbortSignal | undefined;
}

type GetPage<Item> = (options: PageOptions) => Promise<Page<Item>>;

/** Returns a function that gets one page of the list at `call.url`. */
export function createGetPage<Item>(
  send: Send,
  call: Pick<Call, 'operation' | 'url'>,
  toItems: (body: unknown) => Item[] | undefined,
): GetPage<Item> {
  return async ({ next, signal, limit, ...filter }) => {
    if (next !== undefined && !isQuery(next)) throw new TypeError('next must come from a page.');
    const url = call.url + (next ?? queryOf({ limit, ...filter }));
    const response = await send({ ...call, method: 'GET', url, signal });
    const items = toItems(response.body) ?? unexpectedResponse(response);
    const following = findLink(response.headers.get('Link'), 'next');
    if (following === undefined) return { items };
    return isQuery(following) ? { items, next: following } : unexpectedResponse(response);
  };
}

/** Yields the items of all pages. After an abort, it yields nothing, not even from a page that has arrived. */
export async function* eachItem<Item>(
  getPage: GetPage<Item>,
  options: Omit<PageOptions, 'next'>,
): AsyncGenerator<Item, void, undefined> {
  const { signal } = options;
  let page = await getPage({ limit: 100, ...withoutUndefined(options) });
  for (;;) {
    for (const item of page.items) {
      signal?.throwIfAborted();
      yield item;
    }
    signal?.throwIfAborted();
    // An empty page ends the list, whatever it links to.
    if (page.next === undefined || page.items.length === 0) return;
    page = await getPage({ next: page.next, signal });
  }
}

const idFilters = ['id', 'petId', 'categoryId'];

function queryOf(filter: object): string {
  const given = Object.entries(withoutUndefined(filter));
  for (const [name, value] of given) if (idFilters.includes(name)) requireBigint(name, value);
  const text = new URLSearchParams(
    given.map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  return text === '' ? '' : `?${text}`;
}

function withoutUndefined<Given extends object>(given: Given): Given {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Given;
}

/** The service's links are queries only. Any other link could send the API key to another host. */
function isQuery(reference: string): boolean {
  return reference.startsWith('?');
}
