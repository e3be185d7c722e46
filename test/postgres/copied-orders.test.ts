import { describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import type { Store } from '../../src/domain/store.ts';
import { openPostgresStore } from '../../src/postgres/open.ts';
import { openPostgresImport } from '../../src/postgres/maintenance/import.ts';
import { openSqliteStore } from '../../src/sqlite/open.ts';
import { makeFolder, runCli } from '../support/process/process.ts';
import { makeDatabase } from '../support/postgres/server.ts';

const sold = { name: 'Rex', categoryId: 1n, status: 'sold' } as const;
const once = { caller: 'till', key: 'k' };

describe('petstore copy', () => {
  it('carries orders, deleted ids and held keys from SQLite to PostgreSQL and back', async () => {
    using folder = makeFolder();
    await using database = await makeDatabase();
    const [there, back] = [database.address(), join(folder.path, 'back.db')];
    const fill = openSqliteStore({ path: folder.database });
    await fill.pets.createPet(sold);
    const gone = await fill.pets.createPet(sold, once);
    await fill.pets.deletePet(gone.id);
    const orders = await ordersOf(fill);
    await fill.close();

    await copy(folder.database, there);
    const adding = await openPostgresImport({ address: there });
    expect(await adding.largestId()).toBe(gone.id);
    await adding.close();
    await copy(there, back);

    for (const store of [
      await openPostgresStore({ address: there }),
      openSqliteStore({ path: back }),
    ] satisfies Store[]) {
      expect(await ordersOf(store)).toBe(orders);
      expect(await store.pets.createPet(sold, once)).toEqual({ ...gone, replayed: true });
      const { id } = await store.pets.createPet(sold);
      expect(id).toBeGreaterThan(gone.id);
      expect(JSON.parse(await ordersOf(store))).toMatchObject([{ id: 1 }, { id: 2 }, { petId: Number(id) }]);
      await store.close();
    }
  });
});

async function copy(from: string, to: string): Promise<void> {
  expect(await runCli(['copy', '--from', from, '--to', to])).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/1 pets \(\w+\), 2 orders \(\w+\)/),
  });
}

async function ordersOf({ orders }: Store): Promise<string> {
  return (await orders.listOrders({ limit: 100 })).json;
}
