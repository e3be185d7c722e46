import { expect, it } from 'bun:test';
import { IdTakenError } from '../../src/domain/error.ts';
import { type OrderPageRequest, sorts } from '../../src/stores/store.ts';
import { idsOf } from '../support/http/calls.ts';
import type { Store } from '../support/http/service.ts';
import { onEveryStore } from '../support/stores.ts';
import { createPet, deletePet, updatePet } from '../support/changes.ts';

const rex = { name: 'Rex', categoryId: 1n };
const time = Date.parse('2026-02-03T04:05:06.789Z');

const ordersOf = async ({ orders }: Store): Promise<string> => (await orders.listOrders({ limit: 100 })).json;

onEveryStore('orders', ({ open, place }) => {
  it('are listed with the pet as sold and who sold and returned it, until after the delete', async () => {
    let now = time;
    const store = await open({ now: () => now });
    const pet = { name: 'Zoë "1" 🐕', categoryId: -(2n ** 63n), status: 'sold' } as const;
    const { id } = await store.pets.apply(createPet(pet, undefined, 'till "1"'));
    now += 1;
    const changes = { name: 'Tom', categoryId: 2n ** 53n + 1n, status: 'pending' } as const;
    await store.pets.apply(updatePet(id, { changes }, undefined, 'till-2'));
    await store.pets.apply(deletePet(id));
    expect(await ordersOf(store)).toBe(
      `[{"id":1,"petId":${id},"name":"Zoë \\"1\\" 🐕","categoryId":-9223372036854775808,"status":"sold",` +
        `"createdAt":"2026-02-03T04:05:06.789Z","createdBy":"till \\"1\\"",` +
        `"returnedAt":"2026-02-03T04:05:06.790Z","returnedBy":"till-2"},` +
        `{"id":2,"petId":${id},"name":"Tom","categoryId":9007199254740993,"status":"pending",` +
        `"createdAt":"2026-02-03T04:05:06.790Z","createdBy":"till-2"}]`,
    );
  });

  it('are returned once, each by its own return, even within one batch', async () => {
    let now = time;
    const store = await open({ now: () => now++ });
    const { id } = await store.pets.apply(createPet({ ...rex, status: 'sold' }));
    const { id: other } = await store.pets.apply(createPet({ ...rex, status: 'sold' }));
    const statuses = ['available', 'sold', 'available', 'pending', 'sold'] as const;
    await Promise.all(statuses.map((status) => store.pets.apply(updatePet(id, { changes: { status } }))));
    const all = JSON.parse(await ordersOf(store)) as Record<string, unknown>[];
    const ofPet = all.filter(({ petId }) => petId === Number(id));
    expect(ofPet.map(({ status }) => status)).toEqual(['sold', 'sold', 'pending', 'sold']);
    expect(ofPet.map((order) => 'returnedAt' in order)).toEqual([true, true, false, false]);
    expect(ofPet[0]!['returnedAt']! < ofPet[1]!['returnedAt']!).toBe(true);
    expect(all.filter(({ petId }) => petId === Number(other))).toEqual([
      expect.not.objectContaining({ returnedAt: expect.anything() }),
    ]);
  });

  it('are found by time, page by page, sorted by time and then by id', async () => {
    // Clocks differ: the order of times is not that of ids.
    const times = [30, 10, 20, 10, 40, 20, 10, 30].map((second) => time + second * 1000);
    let now = time;
    const store = await open({ now: () => now });
    const { id } = await store.pets.apply(createPet(rex));
    for (const [index, at] of times.entries()) {
      now = at;
      const status = index % 3 ? 'sold' : 'pending';
      await store.pets.apply(createPet({ ...rex, status }));
      await store.pets.apply(updatePet(id, { changes: { status: index % 2 ? 'sold' : 'available' } }));
    }
    type Found = { id: number; petId: number; status: string; createdAt: string; returnedAt?: string };
    const all = JSON.parse(await ordersOf(store)) as Found[];
    expect(all).toHaveLength(12);
    const walk = async (request: Partial<OrderPageRequest>, limit: number): Promise<number[]> => {
      const ids: number[] = [];
      for (let after: bigint | undefined; ;) {
        const page = await store.orders.listOrders({
          limit,
          ...request,
          ...(after !== undefined && { after }),
        });
        ids.push(...idsOf(page.json).map(Number));
        after = page.next;
        if (after === undefined) return ids;
      }
    };
    const edges = [undefined, time + 10_000, time + 20_000, time + 20_001, time + 99_000];
    const filters: Partial<OrderPageRequest>[] = [
      ...[{}, { status: 'sold' as const }, { returned: true }, { returned: false }, { petId: id }],
    ];
    for (const since of edges)
      for (const until of edges)
        for (const filter of filters) {
          const { status, returned, petId } = filter;
          const expected = all
            .filter(({ createdAt }) => Date.parse(createdAt) >= (since ?? 0))
            .filter(({ createdAt }) => Date.parse(createdAt) < (until ?? Infinity))
            .filter((order) => status === undefined || order.status === status)
            .filter((order) => returned === undefined || (order.returnedAt !== undefined) === returned)
            .filter((order) => petId === undefined || BigInt(order.petId) === petId);
          // A pet's orders are sorted by id.
          if ((since ?? until) !== undefined && petId === undefined)
            expected.sort(
              (one, other) => Date.parse(one.createdAt) - Date.parse(other.createdAt) || one.id - other.id,
            );
          const ids = expected.map((order) => order.id);
          for (const sort of sorts) {
            const request = { ...filter, sort, ...(since && { since }), ...(until && { until }) };
            for (const limit of [2, 100])
              expect(await walk(request, limit)).toEqual(sort === 'newest' ? ids.toReversed() : ids);
          }
        }
  });

  it('are as fresh as pets, in both of two stores', async () => {
    const both = [await open(), await open()];
    const { id } = await both[0]!.pets.apply(createPet(rex));
    for (let count = 1; count <= 8; count++) {
      const one = both[count % 2]!;
      await one.pets.apply(updatePet(id, { changes: { status: count % 2 ? 'sold' : 'pending' } }));
      const seen = await Promise.all(both.map(async ({ pets }) => await pets.getPet(id)));
      expect(new Set(seen).size).toBe(1);
      for (const store of both) expect(idsOf(await ordersOf(store))).toHaveLength(count);
    }
    await both[1]!.pets.apply(deletePet(id));
    for (const { pets } of both) expect(await pets.getPet(id)).toBeUndefined();
  });

  it('survive a bulk write and a bulk read unchanged', async () => {
    const bulk = await place().openBulk();
    const orders = [
      { id: 3n, petId: 2n ** 53n + 1n, status: 'sold', createdAt: new Date(1) },
      {
        id: 2n ** 62n + 1n,
        petId: 2n ** 63n - 1n,
        status: 'pending',
        createdAt: new Date(time),
        name: '',
        categoryId: -1n,
      },
    ] as const;
    try {
      await bulk.orders.write(orders);
      expect(await bulk.orders.count()).toBe(2);
      expect(await bulk.orders.read(undefined, 10)).toEqual([...orders]);
      expect(await bulk.orders.read(orders[0], 10)).toEqual([orders[1]]);
      const taken = [{ ...orders[1], id: 4n }, orders[1]];
      const refusal = await bulk.orders.write(taken).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(IdTakenError);
      expect(await bulk.orders.count()).toBe(2);
      await bulk.raiseLastIds({ pets: 0n, orders: orders[1].id });
    } finally {
      await bulk.close();
    }
    const store = await open();
    await store.pets.apply(createPet({ ...rex, status: 'sold' }));
    const ids = idsOf(await ordersOf(store)).map(BigInt);
    expect(ids).toEqual([3n, 2n ** 62n + 1n, 2n ** 62n + 2n]);
  });
});
