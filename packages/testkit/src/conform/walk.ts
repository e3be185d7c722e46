import type { Api, Exchange } from './api.ts';
import { expectThat } from './mismatch.ts';
import { listPets, readPets } from './pets.ts';

/** The query of the next page, if the list has one. */
export function nextQuery({ headers }: Pick<Exchange, 'headers'>): string | undefined {
  return /^<(\?[^>]+)>; rel="next"$/.exec(headers.get('Link') ?? '')?.[1];
}

export interface WalkedPage {
  exchange: Exchange;
  ids: bigint[];
}

/** Follows pages until there are at least `count` pets or the list ends. A store may have any size. */
export async function walk(
  api: Api,
  query: string,
  count: number,
  afterPage: () => Promise<void> = async () => {},
): Promise<WalkedPage[]> {
  const pages: WalkedPage[] = [];
  const queries = new Set<string>();
  let length = 0;
  for (let next: string | undefined = query; next !== undefined && length < count;) {
    queries.add(next);
    const exchange: Exchange = await listPets(api, next);
    const ids = readPets(exchange).map(({ id }) => id);
    pages.push({ exchange, ids });
    length += ids.length;
    // An empty page ends the list, whatever it links to.
    next = ids.length === 0 ? undefined : nextQuery(exchange);
    expectThat(
      next === undefined || !queries.has(next),
      exchange,
      'a Link to a page that the walk has not visited',
    );
    await afterPage();
  }
  return pages;
}
