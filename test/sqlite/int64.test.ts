import { Database } from 'bun:sqlite';
import { afterAll, describe, expect, it } from 'bun:test';
import { addPet, idsOf, outcomeOf, post, rex, walkPages } from '../support/http/calls.ts';
import { openService } from '../support/http/service.ts';
import { makeSqlitePlace, type SqlitePlace } from '../support/store-place.ts';
import { insertPet } from '../support/insert-pet.ts';

/** Ids at the top of the range: no create reaches them, so they are put into the file. */

const largest = 2n ** 63n - 1n;
const nearTheTop = [
  2n ** 53n - 1n,
  2n ** 53n,
  2n ** 53n + 1n,
  2n ** 62n + 1n,
  largest - 2n,
  largest - 1n,
  largest,
];
const ids = nearTheTop.map(String);

/** A place with pets of these ids. */
async function makePlaceWith(petIds: bigint[]): Promise<SqlitePlace> {
  const made = await makeSqlitePlace();
  await (await made.open()).close();
  using database = new Database(made.path, { strict: true });
  for (const id of petIds) insertPet(database, id, { name: 'Rex', categoryId: id, status: 'sold' });
  return made;
}

const place = await makePlaceWith(nearTheTop);
const service = await openService({ openStore: () => place.open() });
afterAll(async () => {
  await service.close();
  await place[Symbol.asyncDispose]();
});

describe('ids past 2^53', () => {
  it('appear in the list with every digit', async () => {
    const text = await (await service.call('/v1/pets')).text();
    expect(idsOf(text)).toEqual(ids);
    for (const id of ids)
      expect(text).toContain(`{"id":${id},"name":"Rex","categoryId":${id},"status":"sold"}`);
  });

  for (const id of ids) {
    it(`${id} names its pet in the path`, async () => {
      const response = await service.call(`/v1/pets/${id}`);
      expect(response.status).toBe(200);
      expect(idsOf(await response.text())).toEqual([id]);
    });
  }

  it('are not found under a neighbour that is the same as a double', async () => {
    for (const id of [2n ** 53n + 2n, 2n ** 62n, largest - 3n, largest + 1n]) {
      expect(await outcomeOf(service.call(`/v1/pets/${id}`))).toBe('404 not_found');
    }
  });
});

describe('an id that the service assigns past 2^53', () => {
  it('is the same in the 201, Location, the list and getPet', async () => {
    await using own = await makePlaceWith([2n ** 53n]);
    await using shop = await openService({ openStore: () => own.open() });
    const response = await shop.call('/v1/pets', post(rex));
    const id = idsOf(await response.text())[0] ?? '';
    expect(id).toBe('9007199254740993');
    expect(response.headers.get('Location')).toBe(`/v1/pets/${id}`);
    expect((await walkPages(shop.call, '?limit=1')).flat()).toEqual(['9007199254740992', id]);
    expect(await outcomeOf(shop.call(`/v1/pets/${id}`))).toBe('200');
    expect(await addPet(shop.call)).toBe('9007199254740994');
  });
});
