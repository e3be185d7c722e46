import { Database } from 'bun:sqlite';
import { beforeEach, describe, expect, it } from 'bun:test';
import { openSqliteStore } from '../../src/stores/sqlite/open.ts';
import { runCli } from '../support/process/process.ts';
import { useStoreFolder } from '../support/process/store-folder.ts';
import { createPet, deletePet, putCategory } from '../support/changes.ts';

const sold = { name: 'Rex', categoryId: 1n, status: 'sold' } as const;

const at = useStoreFolder();
const { inFolder, run } = at;
let orders: string;

/** A store with a pet and two orders, whose newest pet was deleted. */
beforeEach(async () => {
  const store = openSqliteStore({ path: at.store });
  await store.pets.apply(createPet(sold));
  const { id } = await store.pets.apply(createPet(sold));
  await store.pets.apply(deletePet(id));
  orders = (await store.orders.listOrders({ limit: 100 })).json;
  await store.close();
});

/** The same orders are there, and the next ids are new ones. */
async function expectSame(path: string): Promise<void> {
  const store = openSqliteStore({ path });
  try {
    expect((await store.orders.listOrders({ limit: 100 })).json).toBe(orders);
    expect(await store.pets.apply(createPet(sold))).toMatchObject({ id: 3n });
    const { json } = await store.orders.listOrders({ limit: 100, after: 2n });
    expect(JSON.parse(json)).toMatchObject([{ id: 3, petId: 3, status: 'sold' }]);
  } finally {
    await store.close();
  }
}

async function nameCategory(path: string): Promise<void> {
  const store = openSqliteStore({ path });
  await store.pets.apply(putCategory(7n, 'Dogs'));
  await store.close();
}

describe('petstore copy', () => {
  const copy = (to: string) => runCli(['copy', '--from', at.store, '--to', to]);

  it('keeps the ids of deleted orders', async () => {
    {
      using database = new Database(at.store);
      database.run('DELETE FROM orders');
    }
    orders = '[]';
    const target = inFolder('copy.db');
    expect(await copy(target)).toMatchObject({ status: 0 });
    await expectSame(target);
  });

  it('refuses a target with orders, and writes nothing', async () => {
    const target = inFolder('other.db');
    const store = openSqliteStore({ path: target });
    const { id } = await store.pets.apply(createPet(sold));
    await store.pets.apply(deletePet(id));
    await store.close();
    expect(await copy(target)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('The target already holds orders, so nothing was written.'),
    });
  });
});

describe('petstore backup and restore', () => {
  it('keep orders and used ids', async () => {
    const [backup, restored] = [inFolder('backup.db'), inFolder('restored.db')];
    expect(await run('backup', backup)).toMatchObject({
      status: 0,
      stdout: `Backed up 1 pet and 2 orders of ${at.store} to ${backup}, and read it back.\n`,
    });
    expect(await runCli(['restore', backup, '--database-url', restored])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining(`Restored 1 pet and 2 orders to ${restored}.\n`),
    });
    await expectSame(restored);
  });

  it('do not replace a store that holds only orders without --force', async () => {
    await run('backup', 'backup.db');
    const store = openSqliteStore({ path: at.store });
    await store.pets.apply(deletePet(1n));
    await store.close();
    expect(await run('restore', 'backup.db')).toMatchObject({
      status: 1,
      stderr: `petstore: ${at.store} holds orders. To replace them with the backup, add --force.\n`,
    });
    expect(await run('restore', 'backup.db', '--force')).toMatchObject({ status: 0 });
  });

  it('keep categories, and do not replace a store that holds only categories without --force', async () => {
    const other = inFolder('other.db');
    await nameCategory(other);
    expect(
      await runCli(['backup', 'other-backup.db', '--database-url', other], { cwd: at.path }),
    ).toMatchObject({
      status: 0,
    });
    const restore = (...args: string[]) =>
      runCli(['restore', 'other-backup.db', '--database-url', other, ...args], { cwd: at.path });
    expect(await restore()).toMatchObject({
      status: 1,
      stderr: `petstore: ${other} holds categories. To replace them with the backup, add --force.\n`,
    });
    expect(await restore('--force')).toMatchObject({ status: 0 });
    const store = openSqliteStore({ path: other });
    expect(await store.pets.listCategories({ limit: 100 })).toEqual({ json: '[{"id":7,"name":"Dogs"}]' });
    await store.close();
  });
});

describe('petstore check', () => {
  it('counts orders, and reports an order or a category that is damaged', async () => {
    await nameCategory(at.store);
    expect((await run('check')).stdout).toContain('is sound and holds 1 pet and 2 orders.');
    using database = new Database(at.store);
    const damaged = (row: string) => ({
      status: 1,
      stderr: expect.stringContaining(`The database ${at.store} is damaged at ${row}.`) as string,
    });
    database.run('UPDATE orders SET pet_id = 5 WHERE id = 2');
    expect(await run('check')).toMatchObject(damaged('order 2'));
    database.run('UPDATE orders SET pet_id = 2 WHERE id = 2');
    database.run('UPDATE categories SET json = substr(json, 2)');
    expect(await run('check')).toMatchObject(damaged('category 7'));
  });
});
