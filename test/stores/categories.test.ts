import { expect, it } from 'bun:test';
import type { Store } from '../../src/stores/store.ts';
import { untilNoticed } from '../../src/stores/sqlite/freshness.ts';
import { createPet, deleteCategory, putCategory } from '../support/changes.ts';
import { codeOf } from '../support/code-of.ts';
import { onEveryStore } from '../support/stores.ts';

const [smallest, largest] = [-(2n ** 63n), 2n ** 63n - 1n];
const listOf = async ({ pets }: Store): Promise<string> => (await pets.listCategories({ limit: 100 })).json;

onEveryStore('categories', ({ open }) => {
  it('keep every name and every number as sent, over a reopening', async () => {
    const names = ['"', '\\', "'", 'NULL', '\u2028', '🐕‍🦺', '\u{10ffff}', 'e\u0301', ' x ', '🐕'.repeat(100)];
    const ids = [smallest, -1n, 0n, 1n, largest];
    const store = await open();
    await Promise.all(names.map((name, index) => store.pets.apply(putCategory(BigInt(index + 2), name))));
    for (const id of ids) await store.pets.apply(putCategory(id, 'end'));
    for (const id of ids) expect(await store.pets.getCategory(id)).toBe(`{"id":${id},"name":"end"}`);
    expect(await store.pets.getCategory(3n)).toBe(`{"id":3,"name":${JSON.stringify(names[1])}}`);
    expect(await store.pets.getCategory(-3n)).toBeUndefined();
    const categories = [
      ...ids.slice(0, 4).map((id) => `{"id":${id},"name":"end"}`),
      ...names.map((name, index) => `{"id":${index + 2},"name":${JSON.stringify(name)}}`),
      `{"id":${largest},"name":"end"}`,
    ];
    expect(await listOf(store)).toBe(`[${categories.join(',')}]`);
    expect(await listOf(await open())).toBe(await listOf(store));
  });

  it('are listed in pages by ascending id, from the smallest int64 to the largest', async () => {
    const store = await open();
    const ids = [largest, 5n, smallest, 0n, smallest + 1n, -7n, 12n];
    for (const id of ids) await store.pets.apply(putCategory(id, 'name'));
    for (const limit of [1, 2, 3, 7, 8]) {
      const pages: string[] = [];
      for (let after: bigint | undefined; ;) {
        const page = await store.pets.listCategories({ limit, ...(after !== undefined && { after }) });
        pages.push(page.json);
        if (page.next === undefined) break;
        after = page.next;
      }
      expect(pages).toHaveLength(Math.ceil(ids.length / limit));
      const found = pages.flatMap((page) => [...page.matchAll(/"id":(-?\d+)/g)].map(([, id]) => id));
      expect(found).toEqual(ids.toSorted((one, other) => (one < other ? -1 : 1)).map(String));
    }
    expect(await store.pets.listCategories({ limit: 1, after: largest })).toEqual({ json: '[]' });
    expect((await store.pets.listCategories({ limit: 1, after: 6n })).next).toBe(12n);
  });

  it('are named once by many callers that come at the same time with If-None-Match', async () => {
    const [one, other] = [await open(), await open()];
    for (let id = 1n; id <= 5n; id++) {
      const results = await Promise.all(
        [one, other, one, other].map((store, index) =>
          codeOf(store.pets.apply(putCategory(id, `Name ${index}`, { ifNoneMatch: '*' }))),
        ),
      );
      expect(results.toSorted()).toEqual(['done', ...Array<string>(3).fill('precondition_failed')]);
    }
    await untilNoticed();
    expect(JSON.parse(await listOf(one))).toHaveLength(5);
  });

  it('write an event for each change, with the category and who made it', async () => {
    const store = await open({ now: () => Date.parse('2026-11-17T18:00:00.123Z') });
    await store.pets.apply(putCategory(7n, 'Cats', undefined, 'office'));
    await store.pets.apply(putCategory(7n, 'Cats', undefined, 'office'));
    await store.pets.apply(putCategory(7n, 'Kittens'));
    expect(await codeOf(store.pets.apply(putCategory(7n, 'Lions', { ifNoneMatch: '*' })))).toBe(
      'precondition_failed',
    );
    const { id } = await store.pets.apply(createPet({ name: 'Rex', categoryId: 7n }));
    await store.pets.apply(deleteCategory(7n, undefined, 'boss'));
    expect(await codeOf(store.pets.apply(deleteCategory(7n)))).toBe('not_found');
    const at = '"createdAt":"2026-11-17T18:00:00.123Z"';
    const { json } = await store.events.listEvents({ limit: 100 });
    expect(json).toBe(
      `[{"id":1,"type":"category.updated",${at},"createdBy":"office","category":{"id":7,"name":"Cats"}},` +
        `{"id":2,"type":"category.updated",${at},"category":{"id":7,"name":"Kittens"}},` +
        `{"id":3,"type":"pet.created",${at},"petId":${id},"pet":{"id":${id},"name":"Rex","categoryId":7}},` +
        `{"id":4,"type":"category.deleted",${at},"createdBy":"boss","category":{"id":7,"name":"Kittens"}}]`,
    );
    const only = async (request: object) => {
      const page = await store.events.listEvents({ limit: 100, ...request });
      return (JSON.parse(page.json) as { id: number }[]).map((event) => event.id);
    };
    expect(await only({ type: 'category.updated' })).toEqual([1, 2]);
    expect(await only({ type: 'category.deleted' })).toEqual([4]);
    // A category's id is not that of a pet.
    expect(await only({ petId: 7n })).toEqual([]);
  });
});
