import { expect, it } from 'bun:test';
import type { Database } from '../../src/postgres/database.ts';
import { openPostgresStore } from '../../src/postgres/open.ts';
import { createPageBatchers } from '../../src/postgres/pets/pets.ts';
import { petStatuses, type Page, type PageRequest } from '../../src/domain/pet.ts';
import { openDatabaseAt } from '../support/postgres/open-database.ts';
import { makeDatabase } from '../support/postgres/server.ts';

const requests: PageRequest[] = [undefined, ...petStatuses].flatMap((status) =>
  [0n, 3n, 11n, 17n, 23n, 28n, 29n, 30n, 400n].flatMap((after) =>
    [1, 7, 100].map((limit) => (status ? { limit, after, status } : { limit, after })),
  ),
);

/** Everything that JSON escapes, or that somebody might. */
const troublesome = [
  ...Array.from({ length: 31 }, (_, index) => String.fromCodePoint(index + 1)),
  ...['"', '\\', '/', '<', '&', '\u007f', '\u0080', '\u2028', '\u2029', '\ufeff', '\uffff', '\u{1f436}'],
];

it('reads pages that wait together in few queries, with the same result as one by one', async () => {
  await using place = await makeDatabase();
  const store = await openPostgresStore({ address: place.address() });
  for (let count = 0; count < 30; count++) {
    const status = petStatuses[count % 4];
    const name = `"${count}"${count === 0 ? '' : troublesome.join('')}`;
    await store.pets.createPet({ name, categoryId: BigInt(count), ...(status && { status }) });
  }
  await store.close();
  const database = openDatabaseAt(place.address());
  let queries = 0;
  let mostPets = 0;
  let atOnce = 0;
  let mostAtOnce = 0;
  const counting: Database = {
    ...database,
    async read(statement, values) {
      queries += 1;
      // A page that is asked for alone has one limit, and asks for one pet more to see whether another page follows.
      const [, limits = 0] = values as [string | string[], (number | number[])?];
      const pets = typeof limits === 'number' ? limits - 1 : limits.reduce((sum, limit) => sum + limit, 0);
      mostPets = Math.max(mostPets, pets);
      mostAtOnce = Math.max(mostAtOnce, ++atOnce);
      try {
        return await database.read(statement, values);
      } finally {
        atOnce -= 1;
      }
    },
  };
  const batchers = createPageBatchers(counting);
  const ask = (request: PageRequest): Promise<Page> => batchers[request.status ?? 'all'].add(request);

  const alone: Page[] = [];
  for (const request of requests) alone.push(await ask(request));
  expect(queries).toBe(requests.length);
  expect(mostAtOnce).toBe(1);

  // So that the last one has left.
  await new Promise((resolve) => setImmediate(resolve));
  queries = 0;
  expect(await Promise.all(requests.map(ask))).toEqual(alone);
  // Of each of the four kinds, six are sent at once with a page each. The other twenty-one follow in two, since together
  // they are 756 pets long.
  expect(queries).toBe(4 * 8);
  expect(mostPets).toBeLessThanOrEqual(640);
  expect(mostAtOnce).toBe(4 * 6);

  const [first] = alone;
  expect(first?.next).toBe(1n);
  expect(JSON.parse(String(first?.json))).toEqual([
    { id: 1, name: '"0"', categoryId: 0, status: 'available' },
  ]);
  expect(alone.filter(({ next }) => next !== undefined).length).toBeGreaterThan(10);
  expect(alone.filter(({ json }) => json === '[]').length).toBeGreaterThan(10);
  await database.close();
});
