import { parseExactJson } from '../../conform/exact-json.ts';
import { nextQuery } from '../../conform/walk.ts';
import type { Fields } from './fields.ts';
import { editRequest, forOperations, withUrl } from './edit.ts';
import type { Fetch, Wrap } from '../mutant.ts';

/** Limits a mistake to lists. */
export function forList(wrap: Wrap): Wrap {
  return forOperations(['listPets'], wrap);
}

/** The limit in a request, if the service accepts it. */
export function limitOf({ url }: Request): number | undefined {
  const limits = new URL(url).searchParams.getAll('limit').join();
  return /^(?:[1-9]\d?|100)$/.test(limits) ? Number(limits) : undefined;
}

/** Changes a list parameter that occurs exactly once; undefined removes it. */
export function editParameter(name: string, edit: (value: string) => string | undefined): Wrap {
  const editUrl = ({ searchParams }: URL) => {
    const [value, ...others] = searchParams.getAll(name);
    if (value === undefined || others.length > 0) return;
    const edited = edit(value);
    if (edited === undefined) searchParams.delete(name);
    else searchParams.set(name, edited);
  };
  return forList(editRequest((request) => withUrl(request, editUrl)));
}

/** Reads a page with another limit; its `Link` keeps the request's limit. */
export function readPageOf(limitFor: (limit: number) => number): Wrap {
  return forList((fetch) => async (request) => {
    const limit = limitOf(request);
    if (limit === undefined) return fetch(request);
    const response = await fetch(
      withUrl(request, (url) => url.searchParams.set('limit', String(limitFor(limit)))),
    );
    return withLink(response, (link) => link.replace(/limit=\d+/, `limit=${limit}`));
  });
}

export function withLink(response: Response, edit: (link: string) => string | undefined): Response {
  const link = response.headers.get('Link');
  if (link === null) return response;
  const headers = new Headers(response.headers);
  const edited = edit(link);
  if (edited === undefined) headers.delete('Link');
  else headers.set('Link', edited);
  return new Response(response.body, { status: response.status, headers });
}

/** Every pet in the store, whatever the request's filters. */
export async function readAllPets(fetch: Fetch, request: Request): Promise<Fields[]> {
  const pets: Fields[] = [];
  let query: string | undefined = '?limit=100';
  while (query !== undefined) {
    const search: string = query;
    const page: Response = await fetch(withUrl(request, (url) => (url.search = search)));
    pets.push(...(parseExactJson(await page.text()) as Fields[]));
    query = nextQuery(page);
  }
  return pets;
}
