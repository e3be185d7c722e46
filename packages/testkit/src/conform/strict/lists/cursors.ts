import type { Api } from '../../api.ts';
import { checksOf } from '../../check.ts';
import { expectOutcome, expectOutcomes } from '../../errors.ts';
import { expectPets } from '../../expectations.ts';
import { expectThat } from '../../mismatch.ts';
import { listPets, readList } from '../../pets.ts';
import { limits } from '../../rules.ts';
import { samples } from '../../samples.ts';
import { nextQuery } from '../../walk.ts';

/** The cursors in `Link` headers. */
export const cursorChecks = checksOf('strict', 'cursors', [
  [
    'other-limit',
    'The limit may change between pages.',
    async (api) => {
      const cursor = await cursorAfter(api, '?limit=7');
      const all = await readList(api, '?limit=100');
      for (const limit of all.length < limits.largest ? [1, 9, 17, limits.largest] : [1, 9, 17])
        expectPets(await listPets(api, `?limit=${limit}&cursor=${cursor}`), all.slice(7, 7 + limit));
      expectPets(await listPets(api, `?cursor=${cursor}`), all.slice(7, 27));
    },
  ],
  [
    'bound-to-status',
    'A cursor is refused with another status and without its own.',
    async (api) => {
      const unfiltered = await cursorAfter(api, '?limit=3');
      const ofSold = await cursorAfter(api, '?limit=3&status=sold');
      const queries = [
        `cursor=${ofSold}`,
        `status=pending&cursor=${ofSold}`,
        `status=sold&cursor=${unfiltered}`,
      ];
      await expectRefused(api, queries);
      await expectOutcome(api, { path: `/pets?status=sold&cursor=${ofSold}` }, '200');
    },
  ],
  [
    'damaged',
    'A cursor is refused if a character is changed, or if it is cut short or lengthened.',
    async (api) => {
      const cursor = await cursorAfter(api, '?limit=3');
      const changed = Array.from(cursor, (character, index) =>
        ['A', 'x', '9', '_']
          .filter((other) => other !== character)
          .map((other) => cursor.slice(0, index) + other + cursor.slice(index + 1)),
      );
      const cut = Array.from(cursor, (_, length) => cursor.slice(0, length));
      const lengthened = [`${cursor}A`, `${cursor}=`, `${cursor}==`, `${cursor}%20`, `%20${cursor}`];
      await expectRefused(
        api,
        [...changed.flat(), ...cut, ...lengthened].map((each) => `cursor=${each}`),
      );
    },
  ],
  [
    'foreign',
    'A cursor that the service never made is refused, and so are two cursors.',
    async (api) => {
      const cursor = await cursorAfter(api, '?limit=3');
      const ofVersion2 = btoa('2..3.abc');
      const unsigned = btoa('1..3');
      const foreign = ['', '3', 'abc', ofVersion2, unsigned, '%00', '%F0%9F%90%88', 'A'.repeat(5000)];
      await expectRefused(api, [
        ...foreign.map((each) => `cursor=${each}`),
        `cursor=${cursor}&cursor=${cursor}`,
      ]);
    },
  ],
]);

async function cursorAfter(api: Api, query: string): Promise<string> {
  await samples(api);
  const exchange = await listPets(api, query);
  const cursor = new URLSearchParams(nextQuery(exchange)).get('cursor');
  expectThat(cursor !== null, exchange, 'a Link with a cursor', exchange.headers.get('Link') ?? 'no Link');
  return cursor;
}

/** Sends requests in groups: a service need not handle hundreds at once. */
async function expectRefused(api: Api, queries: string[]): Promise<void> {
  for (let start = 0; start < queries.length; start += 16) {
    const requests = queries.slice(start, start + 16).map((query) => ({ path: `/pets?${query}` }));
    await expectOutcomes(api, requests, '400 invalid_cursor');
  }
}
