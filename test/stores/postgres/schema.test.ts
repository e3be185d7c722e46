import { describe, expect, it } from 'bun:test';
import { openPostgresStore } from '../../../src/stores/postgres/open.ts';
import { createPet } from '../../support/changes.ts';
import { failureOf } from '../../support/failure.ts';
import { outcomeOf } from '../../support/http/calls.ts';
import { openService } from '../../support/http/service.ts';
import { makeDatabase } from '../../support/postgres/server.ts';

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

describe('an empty database', () => {
  it('gets its tables once when several replicas start together, at every isolation level', async () => {
    await using database = await makeDatabase();
    const options = encodeURIComponent('-c default_transaction_isolation=serializable');
    const address = database.address(`?options=${options}`);
    let made = 0;
    const open = () => openPostgresStore({ address, onMade: () => made++ });
    const stores = await Promise.all([1, 2, 3, 4, 5, 6].map(open));
    await Promise.all(stores.map((store) => store.close()));
    await (await open()).close();
    expect(made).toBe(1);
  });
});

describe('a replica whose schema is changed under it', () => {
  it.each(['pets', 'api_keys'])('is not ready without its %s, until they are back', async (table) => {
    await using database = await makeDatabase();
    const openStore = () => openPostgresStore({ address: database.address() });
    await using service = await openService({ openStore });
    const ready = () => outcomeOf(service.callAs(null, '/readyz'));
    await database.run(`ALTER TABLE ${table} RENAME TO gone`);
    expect(await ready()).toBe('503 unavailable');
    await database.run(`ALTER TABLE gone RENAME TO ${table}`);
    while ((await ready()) !== '200') await Bun.sleep(20);
  });

  it('stays ready when a newer release has added to it', async () => {
    await using database = await makeDatabase();
    const store = await openPostgresStore({ address: database.address() });
    await database.run('UPDATE petstore_schema SET version = 99; ALTER TABLE pets ADD COLUMN born date');
    await store.pets.apply(createPet({ name: 'Rex', categoryId: 1n }));
    await store.close();
  });
});
