import { describe, expect, it } from 'bun:test';
import { petStatuses, type PetFields } from '../../src/domain/pet.ts';
import { idsOf } from '../support/http/calls.ts';
import type { Store } from '../support/http/service.ts';
import { codeOf } from '../support/code-of.ts';
import { onEveryStore } from '../support/stores.ts';
import { createPet, deletePet, updatePet } from '../support/changes.ts';

const rex = { name: 'Rex', categoryId: 1n };

const petOf = async ({ pets }: Store, id: bigint): Promise<string | undefined> => await pets.getPet(id);
const listOf = async ({ pets }: Store): Promise<string> => (await pets.listPets({ limit: 100 })).json;
const ordersOf = async ({ orders }: Store): Promise<string> => (await orders.listOrders({ limit: 100 })).json;

onEveryStore('an update', ({ open }) => {
  it('changes each field, and leaves the others', async () => {
    const store = await open();
    const { id } = await store.pets.apply(createPet({ ...rex, status: 'available' }));
    const steps: [PetFields, string][] = [
      [{ name: 'Tom' }, '"name":"Tom","categoryId":1,"status":"available"'],
      [{ categoryId: -(2n ** 63n) }, '"name":"Tom","categoryId":-9223372036854775808,"status":"available"'],
      [{ status: 'sold' }, '"name":"Tom","categoryId":-9223372036854775808,"status":"sold"'],
      [{ status: null }, '"name":"Tom","categoryId":-9223372036854775808'],
      [{ status: null }, '"name":"Tom","categoryId":-9223372036854775808'],
      [{ name: '', categoryId: 2n ** 63n - 1n }, '"name":"","categoryId":9223372036854775807'],
      [{ status: 'pending' }, '"name":"","categoryId":9223372036854775807,"status":"pending"'],
    ];
    for (const [changes, fields] of steps) {
      const expected = `{"id":${id},${fields}}`;
      expect((await store.pets.apply(updatePet(id, { changes }))).json).toBe(expected);
      expect(await petOf(store, id)).toBe(expected);
      expect(await listOf(store)).toBe(`[${expected}]`);
    }
  });

  it('gives the same bytes as a create of the same fields, for every name and every status', async () => {
    const store = await open();
    const names = ['', 'NULL', '"', '\\', "'", '\u2028', '🐕‍🦺', '\u{10ffff}', 'e\u0301', 'x'.repeat(60_000)];
    for (const [index, name] of names.entries()) {
      const status = [...petStatuses, undefined][index % 4];
      const fields = { name, categoryId: BigInt(index) * 2n ** 59n };
      const created = await store.pets.apply(createPet({ ...fields, ...(status && { status }) }));
      const { id } = await store.pets.apply(createPet({ ...rex, status: 'available' }));
      const { json: updated } = await store.pets.apply(
        updatePet(id, {
          changes: { ...fields, status: status ?? null },
        }),
      );
      expect(updated).toBe(created.json.replace(`{"id":${created.id},`, `{"id":${id},`));
      expect(await petOf(store, id)).toBe(updated);
    }
  });

  it('moves the pet between the lists of the statuses', async () => {
    const store = await open();
    const { id } = await store.pets.apply(createPet({ ...rex, status: 'available' }));
    for (const status of ['sold', 'pending', 'available', null] as const) {
      await store.pets.apply(updatePet(id, { changes: { status } }));
      for (const each of petStatuses) {
        const page = await store.pets.listPets({ limit: 100, status: each });
        expect(idsOf(page.json)).toEqual(each === status ? [String(id)] : []);
      }
    }
  });

  it('refuses a pet that does not exist', async () => {
    const store = await open();
    const { id } = await store.pets.apply(createPet(rex));
    for (const missing of [id + 1n, 0n, -1n, 2n ** 63n - 1n, -(2n ** 63n)]) {
      expect(await codeOf(store.pets.apply(updatePet(missing, { changes: { name: 'Tom' } })))).toBe(
        'not_found',
      );
      expect(await codeOf(store.pets.apply(deletePet(missing)))).toBe('not_found');
    }
    expect(await listOf(store)).toBe(`[{"id":${id},"name":"Rex","categoryId":1}]`);
  });

  it('changes nothing and writes no order if the pet differs from what was expected', async () => {
    const store = await open();
    const { id, json } = await store.pets.apply(createPet({ ...rex, status: 'available' }));
    const unmet: PetFields[] = [
      { name: 'rex' },
      { categoryId: 2n },
      { status: 'sold' },
      { status: null },
      { name: 'Rex', categoryId: 1n, status: 'pending' },
    ];
    for (const expected of unmet) {
      const update = store.pets.apply(updatePet(id, { changes: { status: 'sold' }, expected }));
      expect(await codeOf(update)).toBe('precondition_failed');
      expect(await petOf(store, id)).toBe(json);
    }
    expect(await ordersOf(store)).toBe('[]');
    const met: PetFields = { name: 'Rex', categoryId: 1n, status: 'available' };
    await store.pets.apply(updatePet(id, { changes: { status: null }, expected: met }));
    await store.pets.apply(updatePet(id, { changes: { name: 'Tom' }, expected: { status: null } }));
    expect(await petOf(store, id)).toBe(`{"id":${id},"name":"Tom","categoryId":1}`);
  });

  it('affects only the pet that was seen', async () => {
    const store = await open();
    const { id, json } = await store.pets.apply(createPet({ ...rex, status: 'available' }));
    const changes = { status: 'sold' } as const;
    for (const seen of [json.replace('Rex', 'rex'), json.replace('available', 'sold')]) {
      expect(await codeOf(store.pets.apply(updatePet(id, { changes }, seen)))).toBe('precondition_failed');
      expect(await codeOf(store.pets.apply(deletePet(id, seen)))).toBe('precondition_failed');
    }
    expect(await petOf(store, id)).toBe(json);
    const { json: sold } = await store.pets.apply(updatePet(id, { changes }, json));
    expect(await codeOf(store.pets.apply(updatePet(id, { changes }, json)))).toBe('precondition_failed');
    expect(await codeOf(store.pets.apply(deletePet(id, json)))).toBe('precondition_failed');
    expect(await codeOf(store.pets.apply(deletePet(id, sold)))).toBe('done');
    expect(await petOf(store, id)).toBeUndefined();
  });
});

onEveryStore('a store with changes that arrive together', ({ open }) => {
  it('fails only the changes that cannot be made', async () => {
    const store = await open();
    const ids: bigint[] = [];
    for (const name of ['a', 'b', 'c', 'd'])
      ids.push((await store.pets.apply(createPet({ ...rex, name }))).id);
    const [a, b, c, d] = ids as [bigint, bigint, bigint, bigint];
    const { pets } = store;
    const outcomes = await Promise.all(
      [
        store.pets.apply(createPet(rex)),
        pets.apply(updatePet(a, { changes: { status: 'sold' }, expected: { name: 'other' } })),
        pets.apply(updatePet(b, { changes: { status: 'sold' } })),
        pets.apply(updatePet(999n, { changes: { status: 'sold' } })),
        pets.apply(deletePet(c, `{"id":${c},"name":"something else","categoryId":1}`)),
        pets.apply(deletePet(d)),
        pets.apply(deletePet(999n)),
        store.pets.apply(createPet({ ...rex, name: 'last' })),
      ].map(codeOf),
    );
    expect(outcomes).toEqual([
      ...['done', 'precondition_failed', 'done', 'not_found'],
      ...['precondition_failed', 'done', 'not_found', 'done'],
    ]);
    expect(idsOf(await listOf(store))).toHaveLength(5);
    expect(await petOf(store, a)).toBe(`{"id":${a},"name":"a","categoryId":1}`);
    expect(await petOf(store, b)).toBe(`{"id":${b},"name":"b","categoryId":1,"status":"sold"}`);
    expect(idsOf(await ordersOf(store))).toHaveLength(1);
  });

  it('lets one of many tills sell a pet that each expects to be available', async () => {
    const [one, other] = [await open(), await open()];
    const { id } = await one.pets.apply(createPet({ ...rex, status: 'available' }));
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        codeOf(
          (index % 2 ? one : other).pets.apply(
            updatePet(id, {
              changes: { status: 'sold' },
              expected: { status: 'available' },
            }),
          ),
        ),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'precondition_failed')).toHaveLength(39);
    expect(idsOf(await ordersOf(one))).toHaveLength(1);
  });

  it('keeps every field when two stores change different fields of one pet', async () => {
    const [one, other] = [await open(), await open()];
    const { id } = await one.pets.apply(createPet(rex));
    for (let round = 0n; round < 20n; round++) {
      await Promise.all([
        one.pets.apply(updatePet(id, { changes: { name: `Rex ${round}` } })),
        other.pets.apply(updatePet(id, { changes: { categoryId: round } })),
      ]);
      expect(await petOf(one, id)).toBe(`{"id":${id},"name":"Rex ${round}","categoryId":${round}}`);
    }
  });

  it('refuses changes with overloaded when too many wait, and makes those it accepted', async () => {
    const store = await open({ maxQueuedWrites: 2 });
    const { id } = await store.pets.apply(createPet(rex));
    const outcomes = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        codeOf(store.pets.apply(updatePet(id, { changes: { name: String(index) } }))),
      ),
    );
    expect(outcomes).toEqual(['done', 'done', 'done', 'overloaded', 'overloaded', 'overloaded']);
    expect(await petOf(store, id)).toBe(`{"id":${id},"name":"2","categoryId":1}`);
  });

  it('finishes pending changes before it closes, and accepts none after that', async () => {
    const store = await open();
    const ids = await Promise.all(
      Array.from({ length: 20 }, async () => (await store.pets.apply(createPet(rex))).id),
    );
    const { pets } = store;
    const changes = { status: 'sold' } as const;
    const pending = ids.map((id, index) =>
      codeOf(index % 2 ? pets.apply(deletePet(id)) : pets.apply(updatePet(id, { changes }))),
    );
    await store.close();
    expect(new Set(await Promise.all(pending))).toEqual(new Set(['done']));
    expect(await codeOf(pets.apply(deletePet(ids[0]!)))).toBe('unavailable');
    const again = await open();
    expect(idsOf(await listOf(again))).toHaveLength(10);
    expect(idsOf(await ordersOf(again))).toHaveLength(10);
  });
});

onEveryStore('a delete', ({ open, place }) => {
  it('removes the pet from every list, and is refused the second time', async () => {
    const store = await open();
    const [first, second] = [await store.pets.apply(createPet(rex)), await store.pets.apply(createPet(rex))];
    await store.pets.apply(deletePet(first.id));
    expect(await petOf(store, first.id)).toBeUndefined();
    expect(await listOf(store)).toBe(`[${second.json}]`);
    expect(await codeOf(store.pets.apply(deletePet(first.id)))).toBe('not_found');
  });

  it('never frees the id, not even after a restart', async () => {
    const store = await open();
    const used = new Set<bigint>();
    for (let round = 0; round < 3; round++) {
      const { id } = await store.pets.apply(createPet(rex));
      expect(used.has(id)).toBe(false);
      used.add(id);
      await store.pets.apply(deletePet(id));
    }
    await store.close();
    const { id } = await (await open()).pets.apply(createPet(rex));
    expect([...used].every((each) => each < id)).toBe(true);
  });

  describe('of a pet with an idempotency key', () => {
    const once = { key: 'k', caller: 'c' };

    it('replays the first response after an update and after a delete, and creates no other pet', async () => {
      const store = await open();
      const first = await store.pets.apply(createPet({ ...rex, status: 'pending' }, once));
      const again = { ...first, isNew: false };
      const create = () => store.pets.apply(createPet({ ...rex, status: 'pending' }, once));
      await store.pets.apply(updatePet(first.id, { changes: { name: 'Tom', status: null } }));
      expect(await create()).toEqual(again);
      await store.pets.apply(deletePet(first.id));
      expect(await create()).toEqual(again);
      expect(await codeOf(store.pets.apply(createPet(rex, once)))).toBe('idempotency_conflict');
      await store.close();
      const reopened = await open();
      expect(await reopened.pets.apply(createPet({ ...rex, status: 'pending' }, once))).toEqual(again);
      expect(await listOf(reopened)).toBe('[]');
      expect(idsOf(await ordersOf(reopened))).toHaveLength(1);
    });
  });

  it('keeps the largest ids for a copy, which raises smaller ones', async () => {
    const store = await open();
    const bulk = await place().openBulk();
    try {
      expect(await bulk.lastIds()).toEqual({ pets: 0n, orders: 0n });
      const { id } = await store.pets.apply(createPet({ ...rex, status: 'sold' }));
      await store.pets.apply(deletePet(id));
      const { pets, orders } = await bulk.lastIds();
      expect(pets).toBeGreaterThanOrEqual(id);
      expect(orders).toBeGreaterThanOrEqual(1n);

      const raised = { pets: 2n ** 53n + 1n, orders: 2n ** 60n };
      await bulk.raiseLastIds(raised);
      await bulk.raiseLastIds({ pets: 3n, orders: 4n });
      expect(await bulk.lastIds()).toEqual(raised);
      const created = await store.pets.apply(createPet({ ...rex, status: 'sold' }));
      expect(created.id).toBeGreaterThan(raised.pets);
      const [order] = idsOf((await store.orders.listOrders({ limit: 1, after: 1n })).json);
      expect(BigInt(order!)).toBeGreaterThan(raised.orders);
    } finally {
      await bulk.close();
    }
  });
});
