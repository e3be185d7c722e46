import { describe, expect, it } from 'bun:test';
import { openPostgresStore } from '../../../src/stores/postgres/open.ts';
import { failureOf } from '../../support/failure.ts';
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
