import { expect, it } from 'bun:test';
import type { Store } from '../../src/stores/store.ts';
import { untilNoticed } from '../../src/stores/sqlite/freshness.ts';
import { putCategory } from '../support/changes.ts';
import { codeOf } from '../support/code-of.ts';
import { onEveryStore } from '../support/stores.ts';

const [smallest, largest] = [-(2n ** 63n), 2n ** 63n - 1n];
const listOf = async ({ pets }: Store): Promise<string> => (await pets.listCategories({ limit: 100 })).json;

onEveryStore('categories', ({ open }) => {
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
});
