import type { Api } from '../../api.ts';
import { checksOf } from '../../check.ts';
import { expectHeader, expectHeaderMatch, expectThat } from '../../mismatch.ts';
import { createPet, listPets, newPet, readPets } from '../../pets.ts';
import { limits } from '../../rules.ts';
import { samples } from '../../samples.ts';
import { nextQuery, walk } from '../../walk.ts';

/** The sort of a list and its pages. In a larger store, only the first hundred pets are compared. */
export const pageChecks = checksOf('strict', 'pages', [
  [
    'ascending',
    'A list is in ascending order of id.',
    async (api) => {
      await samples(api);
      for (const query of ['?limit=100', '', '?status=sold', '?status=pending&limit=100']) {
        const exchange = await listPets(api, query);
        const ids = readPets(exchange).map(({ id }) => id);
        const isSorted = ids.every((id, index) => index === 0 || id > (ids[index - 1] ?? id));
        expectThat(isSorted, exchange, 'ascending ids', `the ids ${ids.join(', ')}`);
      }
    },
  ],
  [
    'link',
    'A page that more pets follow has a Link to the next page, a query alone, with its limit and status.',
    async (api) => {
      await samples(api);
      for (const [query, start] of [
        ['?limit=7', 'limit=7&'],
        ['', 'limit=20&'],
        ['?limit=2&status=sold', 'limit=2&status=sold&'],
        ['?status=sold&limit=2', 'limit=2&status=sold&'],
      ]) {
        const pattern = new RegExp(`^<\\?${start}cursor=[\\w-]+>; rel="next"$`);
        expectHeaderMatch(await listPets(api, query), 'Link', pattern);
      }
    },
  ],
  [
    'link-only-if-more',
    'A list has a Link exactly when more pets follow.',
    async (api) => {
      await samples(api);
      for (const filter of ['', '&status=sold']) {
        const { length } = readPets(await listPets(api, `?limit=100${filter}`));
        expectHeaderMatch(await listPets(api, `?limit=${length - 1}${filter}`), 'Link', /rel="next"/);
        if (length === limits.largest) continue;
        for (const limit of [length, length + 1]) {
          expectHeader(await listPets(api, `?limit=${limit}${filter}`), 'Link', undefined);
        }
      }
    },
  ],
  [
    'walk',
    'A walk through the pages visits every pet exactly once, in order, for every limit and filter. Every page but the last is full, and the last is not empty.',
    async (api) => {
      await samples(api);
      for (const filter of ['', '&status=sold']) {
        const expected = readPets(await listPets(api, `?limit=100${filter}`)).map(({ id }) => id);
        const walks = [1, 2, 3, 7, 20, 24, 25, 26, 99, 100].map((limit) =>
          expectWalk(api, limit, filter, expected.slice(0, limit * mostPages)),
        );
        await Promise.all(walks);
      }
    },
  ],
  [
    'walk-while-growing',
    'A walk visits every pet that existed when it began exactly once, even if pets are added meanwhile.',
    async (api) => {
      await samples(api);
      const expected = readPets(await listPets(api, '?limit=100')).map(({ id }) => id);
      let added = 0;
      const pages = await walk(api, '?limit=11', limits.largest, async () => {
        if (added < 3) await createPet(api, newPet(api, `added during a walk ${++added}`));
      });
      const seen = pages.flatMap(({ ids }) => ids);
      const last = pages.at(-1);
      if (!last) return;
      expectThat(
        new Set(seen).size === seen.length,
        last.exchange,
        'no pet twice',
        `the ids ${seen.join(', ')}`,
      );
      const missing = expected.filter((id) => !seen.includes(id));
      expectThat(
        missing.length === 0,
        last.exchange,
        'a walk past every pet',
        `a walk without ${missing.join(', ')}`,
      );
    },
  ],
  [
    'grown-last-page',
    'The last page gets a Link and another ETag once more pets follow.',
    async (api) => {
      await samples(api);
      const { length } = readPets(await listPets(api, '?limit=100'));
      if (length >= limits.largest) return;
      const path = `/pets?limit=${length}`;
      const last = await api.send({ path });
      expectHeader(last, 'Link', undefined);
      const { id } = await createPet(api, newPet(api, 'after the last page'));
      const grown = await api.send({ path, headers: { 'If-None-Match': last.headers.get('ETag') ?? '' } });
      readPets(grown);
      const next = await listPets(api, nextQuery(grown));
      expectThat(readPets(next)[0]?.id === id, next, `the pet ${id} on the next page`);
    },
  ],
]);

/** Limits the length of a walk. */
const mostPages = 26;

/** Compares only the first pets of a walk, because the list may grow at its end. */
async function expectWalk(api: Api, limit: number, filter: string, expected: bigint[]): Promise<void> {
  const pages = await walk(api, `?limit=${limit}${filter}`, expected.length);
  for (const [index, { exchange, ids }] of pages.entries()) {
    const isRight = index === pages.length - 1 ? ids.length > 0 : ids.length === limit;
    expectThat(isRight, exchange, `${limit} pets, or fewer on the last page`, `${ids.length} pets`);
  }
  const seen = pages.flatMap(({ ids }) => ids).slice(0, expected.length);
  const [first] = pages;
  if (!first) return;
  const isSame = seen.join() === expected.join();
  expectThat(
    isSame,
    first.exchange,
    `a walk past the pets ${expected.join(', ')}`,
    `a walk past ${seen.join(', ')}`,
  );
}
