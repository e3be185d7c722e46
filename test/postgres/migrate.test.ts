import { describe, expect, it } from 'bun:test';
import { issueKey } from '../../src/domain/api-key.ts';
import { inspectPostgres } from '../../src/postgres/maintenance/inspect.ts';
import { migratePostgresBack } from '../../src/postgres/migrate.ts';
import { openPostgresStore } from '../../src/postgres/open.ts';
import { failureOf } from '../support/failure.ts';
import { makeDatabase } from '../support/postgres/server.ts';

describe('a store that goes back to schema version 5', () => {
  it('keeps everything but who wrote an order, and comes forward at the next start', async () => {
    await using database = await makeDatabase();
    const address = database.address();
    const store = await openPostgresStore({ address });
    const { id, json } = await store.pets.createPet(
      { name: 'Rex', categoryId: 1n, status: 'sold' },
      undefined,
      'till-2',
    );
    await store.pets.createPet({ name: 'Tom', categoryId: 1n });
    await store.pets.deletePet(id + 1n);
    await issueKey(store.keys, { name: 'k', now: new Date(), isReadOnly: true });
    await store.close();

    expect(await migratePostgresBack(address, {})).toEqual({ from: 6, to: 5 });
    expect(await database.run('SELECT version FROM petstore_schema')).toEqual([{ version: 5 }]);
    expect(await inspectPostgres(address, {})).toMatchObject({ isNew: false, mayWrite: true });

    const again = await openPostgresStore({ address });
    expect(await again.pets.getPet(id)).toBe(json);
    const { json: orders } = await again.orders.listOrders({ limit: 1 });
    expect(orders).toContain(`"petId":${id}`);
    expect(orders).not.toContain('createdBy');
    expect(await again.keys.listKeys()).toMatchObject([{ id: '1', isReadOnly: true }]);
    // No pet gets the id of the one that was deleted.
    expect((await again.pets.createPet({ name: 'Kitty', categoryId: 1n })).id).toBeGreaterThan(id + 1n);
    await again.close();
  });

  it('must hold the newest schema', async () => {
    await using database = await makeDatabase();
    const back = () => failureOf(migratePostgresBack(database.address(), {}));
    expect(await back()).toMatchObject({ message: expect.stringContaining('holds no store') });
    await (await openPostgresStore({ address: database.address() })).close();
    await migratePostgresBack(database.address(), {});
    expect(await back()).toMatchObject({ message: expect.stringContaining('has schema version 5, and 6') });
  });
});

describe('a database in which another program has a table of orders', () => {
  it('is refused, and left as it is', async () => {
    await using database = await makeDatabase();
    await database.run('CREATE TABLE orders (id text)');
    expect(await failureOf(openPostgresStore({ address: database.address() }))).toMatchObject({
      message: expect.stringContaining('The database holds tables of another program'),
    });
    expect(await database.run(`SELECT tablename::text FROM pg_tables WHERE schemaname = 'public'`)).toEqual([
      { tablename: 'orders' },
    ]);
  });
});
