import { findLink } from './wire/link.ts';
import { requireBigint } from './pet.ts';
import { unexpectedResponse, type Call, type Send } from './wire/send.ts';

/** One page of any list, with its items under the list's name. */
type Page<Name extends string, Item> = Record<Name, Item[]> & { next?: string };

/** Selects the first page, together with the fields of the list's filter, or the page that `next` names. */
interface PageOptions {
  next?: string | undefined;
  limit?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** Returns the functions that read the list at `call.url`, one page or each item of all pages. */
export function createList<Name extends string, Item>(
  send: Send,
  call: Pick<Call, 'operation' | 'url'>,
  name: Name,
  toItem: (value: unknown) => Item | undefined,
) {
  const getPage = async ({ next, signal, limit, ...filter }: PageOptions = {}): Promise<Page<Name, Item>> => {
    if (next !== undefined && !isQuery(next)) throw new TypeError('next must come from a page.');
    const url = call.url + (next ?? queryOf({ limit, ...filter }));
    const response = await send({ ...call, method: 'GET', url, signal });
    const page = { [name]: toItems(response.body, toItem) ?? unexpectedResponse(response) } as Page<
      Name,
      Item
    >;
    const link = findLink(response.headers.get('Link'), 'next');
    if (link === undefined) return page;
    return isQuery(link) ? { ...page, next: link } : unexpectedResponse(response);
  };

  /** Yields the items of all pages. After an abort, it yields nothing, not even from a page that has arrived. */
  async function* each(options: Omit<PageOptions, 'next'> = {}): AsyncGenerator<Item, void, undefined> {
    const { signal } = options;
    let page = await getPage({ limit: 100, ...withoutUndefined(options) });
    for (;;) {
      for (const item of page[name]) {
        signal?.throwIfAborted();
        yield item;
      }
      signal?.throwIfAborted();
      // An empty page ends the list, whatever it links to.
      if (page.next === undefined || page[name].length === 0) return;
      page = await getPage({ next: page.next, signal });
    }
  }

  return { getPage, each };
}

/** Reads a list from parsed JSON; undefined if the value is not one. */
function toItems<Item>(value: unknown, toItem: (value: unknown) => Item | undefined): Item[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const items = value.map(toItem);
  return items.every((item) => item !== undefined) ? items : undefined;
}

const idFilters = ['id', 'petId', 'categoryId'];

function queryOf(filter: object): string {
  const parameters = Object.entries(withoutUndefined(filter));
  for (const [name, value] of parameters) if (idFilters.includes(name)) requireBigint(name, value);
  const text = new URLSearchParams(
    parameters.map(([name, value]): [string, string] => [name, textOf(value)]),
  ).toString();
  return text === '' ? '' : `?${text}`;
}

function textOf(value: unknown): string {
  return value instanceof Date ? value.toISOString() : String(value);
}

function withoutUndefined<Options extends object>(options: Options): Options {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Options;
}

/** The service's links are queries only. Any other link could send the API key to another host. */
function isQuery(reference: string): boolean {
  return reference.startsWith('?');
}
