import { expect, it } from 'bun:test';
import { untilNoticed } from '../../src/stores/sqlite/freshness.ts';
import { idsOf } from '../support/http/calls.ts';
import type { Store } from '../support/http/service.ts';
import { codeOf } from '../support/code-of.ts';
import { onEveryStore } from '../support/stores.ts';
import { createPet, deletePet, putCategory, updatePet } from '../support/changes.ts';

const rex = { name: 'Rex', categoryId: 1n };

const petOf = async ({ pets }: Store, id: bigint): Promise<string | undefined> => await pets.getPet(id);
const listOf = async ({ pets }: Store): Promise<string> => (await pets.listPets({ limit: 100 })).json;
const ordersOf = async ({ orders }: Store): Promise<string> => (await orders.listOrders({ limit: 100 })).json;

onEveryStore('a store with changes that arrive together', ({ open }) => {
  it('keeps every field when two stores change different fields of one pet', async () => {
    const [one, other] = [await open(), await open()];
    const { id } = await one.pets.apply(createPet(rex));
    for (let round = 0n; round < 20n; round++) {
      await Promise.all([
        one.pets.apply(updatePet(id, { changes: { name: `Rex ${round}` } })),
        other.pets.apply(updatePet(id, { changes: { categoryId: round } })),
      ]);
      await untilNoticed();
      expect(await petOf(one, id)).toBe(`{"id":${id},"name":"Rex ${round}","categoryId":${round}}`);
    }
  });

  it('names a category once for many callers that come with If-None-Match', async () => {
    const [one, other] = [await open(), await open()];
    for (let id = 1n; id <= 5n; id++) {
      const outcomes = await Promise.all(
        [one, other, one, other].map(({ pets }, index) =>
          codeOf(pets.apply(putCategory(id, `Name ${index}`, { ifNoneMatch: '*' }))),
        ),
      );
      expect(outcomes.toSorted()).toEqual(['done', ...Array<string>(3).fill('precondition_failed')]);
    }
  });

  it('finishes pending changes before it closes, and accepts none after that', async () => {
    const store = await open();
    const ids = await Promise.all(
      Array.from({ length: 20 }, async () => (await store.pets.apply(createPet(rex))).id),
    );
    const { pets } = store;
    const changes = { status: 'sold' } as const;
    const pending = ids
      .flatMap((id, index) => [createPet(rex), index % 2 ? deletePet(id) : updatePet(id, { changes })])
      .map((change) => codeOf(pets.apply(change)));
    await store.close();
    expect(new Set(await Promise.all(pending))).toEqual(new Set(['done']));
    for (const change of [createPet(rex), deletePet(ids[0]!)])
      expect(await codeOf(pets.apply(change))).toBe('unavailable');
    const again = await open();
    expect(idsOf(await listOf(again))).toHaveLength(10 + 20);
    expect(idsOf(await ordersOf(again))).toHaveLength(10);
  });
});

onEveryStore('a delete', ({ open }) => {
  it('never frees the id, not even after a restart', async () => {
    const store = await open();
    const used = new Set<bigint>();
    for (let round = 0; round < 3; round++) {
      const { id } = await store.pets.apply(createPet(rex));
      expect(used.has(id)).toBe(false);
      used.add(id);
      await store.pets.apply(deletePet(id));
    }
    // On SQLite, both are in one batch.
    const next = [...used].at(-1)! + 1n;
    await Promise.all([createPet(rex), deletePet(next)].map((change) => codeOf(store.pets.apply(change))));
    used.add(next);
    await store.close();
    const { id } = await (await open()).pets.apply(createPet(rex));
    expect([...used].every((each) => each < id)).toBe(true);
  });

  it('leaves the first response to an idempotency key, before, during and after it, through every store', async () => {
    const once = { key: 'k', caller: 'c' };
    const [store, other] = [await open(), await open()];
    const first = await store.pets.apply(createPet({ ...rex, status: 'pending' }, once));
    const again = { ...first, isNew: false };
    const create = () =>
      Promise.all(
        [store, other].map(({ pets }) => pets.apply(createPet({ ...rex, status: 'pending' }, once))),
      );
    await store.pets.apply(updatePet(first.id, { changes: { name: 'Tom', status: null } }));
    expect(await create()).toEqual([again, again]);
    const deleting = store.pets.apply(deletePet(first.id));
    expect(await create()).toEqual([again, again]);
    await deleting;
    expect(await create()).toEqual([again, again]);
    expect(await codeOf(store.pets.apply(createPet(rex, once)))).toBe('idempotency_conflict');
    await store.close();
    const reopened = await open();
    expect(await reopened.pets.apply(createPet({ ...rex, status: 'pending' }, once))).toEqual(again);
    expect(await listOf(reopened)).toBe('[]');
    expect(idsOf(await ordersOf(reopened))).toHaveLength(1);
  });
});
