import { describe, expect, it } from 'bun:test';
import { openPostgresStore } from '../../src/postgres/open.ts';
import { failureOf } from '../support/failure.ts';
import { makeDatabase } from '../support/postgres/server.ts';

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
