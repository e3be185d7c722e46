import { expect, it } from 'bun:test';
import { countRows } from '../../src/stores/copy.ts';
import { codeOf } from '../support/code-of.ts';
import type { Store } from '../support/http/service.ts';
import { createPet, updatePet } from '../support/changes.ts';
import { onEveryStore } from '../support/stores.ts';

const rex = { name: 'Rex', categoryId: 1n };
const minute = 60 * 1000;
const week = 7 * 24 * 60 * minute;

onEveryStore('expired idempotency keys and events', ({ open, place }) => {
  const createMany = ({ pets }: Store, from: number, count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, index) =>
        pets.apply(createPet(rex, { caller: 'till', key: String(from + index) })),
      ),
    );

  async function countKeys(): Promise<number> {
    const tables = await place().openTables();
    const count = await countRows(tables, 'idempotency_keys');
    await tables.close();
    return count;
  }

  async function readOldestEvent({ events }: Store): Promise<{ id: number }> {
    const [oldest] = JSON.parse((await events.listEvents({ limit: 1 })).json) as { id: number }[];
    return oldest!;
  }

  /** PostgreSQL deletes beside the writes. */
  async function expectLeft(store: Store, keys: number, oldestEvent: number): Promise<void> {
    const count = async () => [await countKeys(), (await readOldestEvent(store)).id];
    const expected = [keys, oldestEvent];
    const giveUpAt = performance.now() + 60_000;
    while (!Bun.deepEquals(await count(), expected) && performance.now() < giveUpAt) await Bun.sleep(20);
    expect(await count()).toEqual(expected);
  }

  it('are deleted a week after an import, even if later writes have no key', async () => {
    let time = Date.now();
    const store = await open({ now: () => time });
    const { next: start } = await store.events.listEvents({ limit: 1, after: 'now' });
    await createMany(store, 0, 2500);
    time += week;
    await store.pets.apply(updatePet(1n, { changes: { name: 'Max' } }));
    await expectLeft(store, 2500, 1);
    for (let count = 0; count < 30; count++) {
      time += minute;
      await store.pets.apply(updatePet(1n, { changes: { name: `Max ${count}` } }));
    }
    await expectLeft(store, 0, 2501);
    const readFromStart = async () => store.events.listEvents({ limit: 1, after: start });
    expect(await codeOf(readFromStart())).toBe('events_gone');
  });

  it('go faster than others come', async () => {
    let time = Date.now();
    const store = await open({ now: () => time });
    await createMany(store, 0, 2000);
    time += week + 2 * minute;
    await createMany(store, 2000, 1000);
    await expectLeft(store, 1000, 2001);
  });
});
