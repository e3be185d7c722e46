import { expect, it } from 'bun:test';
import { type Page, type Sort, sorts } from '../../src/stores/store.ts';
import { type PetStatus, petStatuses } from '../../src/domain/pet.ts';
import { createPet, updatePet } from '../support/changes.ts';
import { onEveryStore } from '../support/stores.ts';

const names = [
  ...['Rex', 'Tom', '', ' ', 'null', 'nullify', "O'Neill", '"', '", "', '["a", "b"]', '\\', '\\u0041', '\n'],
  ...['a,b', '{}', '\u0001\u001f', '\u2028', 'Zoë', '🐈', 'x'.repeat(255), '},{"id":1', ',{"id":7,"name":"'],
];
const categoryIds = [0n, 1n, -1n, 2n ** 63n - 1n, -(2n ** 63n)];
const limits = [1, 7, 99, 100];

interface Item {
  id: bigint;
  json: string;
}

/** The page that a request must get of these items, which are sorted by id. */
function expectedPage(items: Item[], limit: number, sort: Sort, after?: bigint): Page {
  const sorted = sort === 'newest' ? items.toReversed() : items;
  const rest = sorted.filter(
    ({ id }) => after === undefined || (sort === 'newest' ? id < after : id > after),
  );
  const page = rest.slice(0, limit);
  const next = rest.length > limit ? page.at(-1)?.id : undefined;
  return { json: `[${page.map(({ json }) => json).join(',')}]`, ...(next !== undefined && { next }) };
}

/** All requests are made at once, and each must get its own page. */
async function expectPages(requests: { read: () => Page | Promise<Page>; expected: Page }[]): Promise<void> {
  const pages = await Promise.all(requests.map(async ({ read }) => read()));
  expect(pages).toEqual(requests.map(({ expected }) => expected));
}

onEveryStore('pages', ({ open }) => {
  it('hold the requested pets, whatever is read at the same time', async () => {
    const { pets } = await open();
    const statuses: (PetStatus | undefined)[] = [undefined, ...petStatuses];
    const created: (Item & { status: PetStatus | undefined })[] = [];
    for (let index = 0; index < 120; index++) {
      const status = statuses[index % 4];
      const [name, categoryId] = [names[index % names.length]!, categoryIds[index % categoryIds.length]!];
      const { id, json } = await pets.apply(createPet({ name, categoryId, ...(status && { status }) }));
      created.push({ id, json, status });
    }
    const [first, middle] = [created[0]!.id, created[50]!.id];
    const afters = [undefined, 0n, first, middle, created.at(-1)!.id, 2n ** 63n - 1n, -(2n ** 63n)];
    const requests = sorts.flatMap((sort) =>
      limits.flatMap((limit) =>
        afters.flatMap((after) =>
          statuses.map((status) => {
            const items = created.filter((pet) => status === undefined || pet.status === status);
            const request = { limit, ...(status && { status }), ...(after !== undefined && { after }) };
            return {
              read: () =>
                sort === 'oldest' ? pets.listPets(request) : pets.searchPets({ ...request, sort }),
              expected: expectedPage(items, limit, sort, after),
            };
          }),
        ),
      ),
    );
    await expectPages(requests);
    const gets = [...created, { id: 0n, json: undefined }, { id: 2n ** 63n - 1n, json: undefined }];
    const results = await Promise.all([...gets, ...gets].map(async ({ id }) => pets.getPet(id)));
    expect(results).toEqual([...gets, ...gets].map(({ json }) => json));
  });

  it('include every write that was acknowledged before, while others are read', async () => {
    const { pets } = await open();
    const done = new AbortController();
    const others = Array.from({ length: 4 }, async () => {
      // A store that responds at once must let others have their turn.
      for (; !done.signal.aborted; await Bun.sleep(0))
        await Promise.all([pets.listPets({ limit: 1 }), pets.getPet(1n)]);
    });
    for (let round = 0; round < 40; round++) {
      const { id, json } = await pets.apply(createPet({ name: `Rex ${round}`, categoryId: 1n }));
      const [page, newest, pet] = await Promise.all([
        pets.listPets({ limit: 1, after: id - 1n }),
        pets.searchPets({ limit: 1 }),
        pets.getPet(id),
      ]);
      expect([page.json, newest.json, pet]).toEqual([`[${json}]`, `[${json}]`, json]);
      const changed = await pets.apply(updatePet(id, { changes: { name: 'Tom' } }));
      expect(await pets.getPet(id)).toBe(changed.json);
    }
    done.abort();
    await Promise.all(others);
  });
});
