import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import { openSqliteStore } from '../../src/sqlite/open.ts';
import { makeFolder, runCli, type Folder } from '../support/process/process.ts';

const sold = { name: 'Rex', categoryId: 1n, status: 'sold' } as const;

let folder: Folder;
let orders: string;

/** A store with a pet and two orders, whose newest pet was deleted. */
beforeEach(async () => {
  folder = makeFolder();
  const store = openSqliteStore({ path: folder.database });
  await store.pets.createPet(sold);
  const { id } = await store.pets.createPet(sold);
  await store.pets.deletePet(id);
  orders = (await store.orders.listOrders({ limit: 100 })).json;
  await store.close();
});
afterEach(() => folder[Symbol.dispose]());

/** The same orders are there, and the next ids are new ones. */
async function expectSame(path: string): Promise<void> {
  const store = openSqliteStore({ path });
  try {
    expect((await store.orders.listOrders({ limit: 100 })).json).toBe(orders);
    expect(await store.pets.createPet(sold)).toMatchObject({ id: 3n });
    const { json } = await store.orders.listOrders({ limit: 100, after: 2n });
    expect(JSON.parse(json)).toMatchObject([{ id: 3, petId: 3, status: 'sold' }]);
  } finally {
    await store.close();
  }
}

describe('petstore copy', () => {
  const copy = (to: string) => runCli(['copy', '--from', folder.database, '--to', to]);

  it('copies orders, and never uses the id of a deleted pet or order again', async () => {
    const target = join(folder.path, 'copy.db');
    expect(await copy(target)).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^Copied and compared: 1 pets \(\w+\), 2 orders \(\w+\), /),
    });
    await expectSame(target);
  });

  it('keeps the ids of deleted orders', async () => {
    {
      using database = new Database(folder.database);
      database.run('DELETE FROM orders');
    }
    orders = '[]';
    const target = join(folder.path, 'copy.db');
    expect(await copy(target)).toMatchObject({ status: 0 });
    await expectSame(target);
  });

  it('refuses a target with orders, and writes nothing', async () => {
    const target = join(folder.path, 'other.db');
    const store = openSqliteStore({ path: target });
    const { id } = await store.pets.createPet(sold);
    await store.pets.deletePet(id);
    await store.close();
    expect(await copy(target)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('The target already holds orders, so nothing was written.'),
    });
  });
});

describe('petstore backup and restore', () => {
  it('keep orders and used ids', async () => {
    const backup = join(folder.path, 'backup.db');
    const restored = join(folder.path, 'restored.db');
    expect(await runCli(['backup', backup, '--database-url', folder.database])).toMatchObject({
      status: 0,
      stdout: `Backed up 1 pet and 2 orders of ${folder.database} to ${backup}, and read it back.\n`,
    });
    expect(await runCli(['restore', backup, '--database-url', restored])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining(`Restored 1 pet and 2 orders to ${restored}.\n`),
    });
    await expectSame(restored);
  });

  it('do not replace a store that holds only orders without --force', async () => {
    const backup = join(folder.path, 'backup.db');
    const target = ['--database-url', folder.database];
    await runCli(['backup', backup, ...target]);
    const store = openSqliteStore({ path: folder.database });
    await store.pets.deletePet(1n);
    await store.close();
    expect(await runCli(['restore', backup, ...target])).toMatchObject({
      status: 1,
      stderr: `petstore: ${folder.database} holds orders. To replace them with the backup, add --force.\n`,
    });
    expect(await runCli(['restore', backup, ...target, '--force'])).toMatchObject({ status: 0 });
  });
});

describe('petstore doctor', () => {
  const doctor = () => runCli(['doctor', '--port', '0', '--database-url', folder.database]);

  it('counts orders, and reports one that is damaged', async () => {
    expect((await doctor()).stdout).toContain('is sound and holds 1 pet and 2 orders.');
    {
      using database = new Database(folder.database);
      database.run('UPDATE orders SET pet_id = 5 WHERE id = 2');
    }
    expect((await doctor()).stdout).toContain(`The database ${folder.database} is damaged.`);
  });
});

describe('petstore import --keep-ids', () => {
  it('refuses the id of a pet that was deleted', async () => {
    const input = '{"id":2,"name":"Rex","categoryId":1}\n';
    const args = ['import', '-', '--keep-ids', '--database-url', folder.database];
    expect(await runCli(args, { input })).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('begin with 2, but the store has ids up to 2.'),
    });
  });
});
