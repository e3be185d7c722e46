import { expect, it } from 'bun:test';
import type { OrderQuery } from '../../src/stores/store.ts';
import { idsOf } from '../support/http/calls.ts';
import type { Store } from '../support/http/service.ts';
import { onEveryStore } from '../support/stores.ts';
import { createPet, updatePet } from '../support/changes.ts';

const rex = { name: 'Rex', categoryId: 1n };
const time = Date.parse('2026-02-03T04:05:06.789Z');

const ordersOf = async ({ orders }: Store): Promise<string> => (await orders.listOrders({ limit: 100 })).json;

onEveryStore('orders', ({ open }) => {
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

  it('are found by every filter, page by page, and by time, sorted by time and then by id', async () => {
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
    const walk = async (request: Partial<OrderQuery>, limit: number): Promise<number[]> => {
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
    const filters: Partial<OrderQuery>[] = [
      ...[{}, { status: 'sold' as const }, { returned: true }, { returned: false }, { petId: id }],
      { status: 'sold', returned: false, petId: id },
    ];
    const expectOrders = async (filter: Partial<OrderQuery>) => {
      const { since, until, status, returned, petId } = filter;
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
      for (const limit of [2, 100]) {
        expect(await walk(filter, limit)).toEqual(ids);
        expect(await walk({ ...filter, sort: 'newest' }, limit)).toEqual(ids.toReversed());
      }
    };
    // All at once: each must get its own pages.
    const walks: Promise<void>[] = [];
    for (const since of edges)
      for (const until of edges)
        for (const filter of filters)
          walks.push(expectOrders({ ...filter, ...(since && { since }), ...(until && { until }) }));
    await Promise.all(walks);
  });
});
