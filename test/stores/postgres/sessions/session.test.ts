import { afterAll, describe, expect, it } from 'bun:test';
import { parseAddress } from '../../../../src/stores/postgres/address.ts';
import { openPostgresStore } from '../../../../src/stores/postgres/open.ts';
import { createPool, type SessionPool } from '../../../../src/stores/postgres/pool.ts';
import { createSql } from '../../../../src/stores/postgres/sql.ts';
import { servingTimeouts, type Timeouts } from '../../../../src/stores/postgres/session.ts';
import { codeOf } from '../../../support/code-of.ts';
import { failureOf } from '../../../support/failure.ts';
import { openProxy } from '../proxy.ts';
import { makeDatabase, sharedServer } from '../../../support/postgres/server.ts';

const database = await makeDatabase();
afterAll(() => database[Symbol.asyncDispose]());

function openPool(timeouts: Timeouts = servingTimeouts): SessionPool {
  return createPool({ address: parseAddress(database.address()), size: 1, timeouts });
}

describe('closing a pool', () => {
  it('lets running statements finish, and refuses others', async () => {
    const pool = openPool();
    const begun = Promise.withResolvers<void>();
    const response = pool.run((session) => {
      begun.resolve();
      return session.send('SELECT true AS done, pg_sleep(0.3)');
    });
    await begun.promise;
    const waiting = failureOf(pool.run(async () => 'never'));
    const closed = pool.close();
    expect(await failureOf(pool.run(async () => 'never'))).toMatchObject({
      message: 'The store is closing.',
    });
    expect(await response).toMatchObject([{ done: true }]);
    await closed;
    expect(await waiting).toMatchObject({ name: 'SessionLostError' });
  });

  it('ends a session whose server is silent', async () => {
    await using proxy = await openProxy(sharedServer.port);
    const pool = createPool({
      address: parseAddress(proxy.address(database.name)),
      size: 1,
      timeouts: { lockMs: 0, statementMs: 0, silenceMs: 0 },
    });
    const begun = Promise.withResolvers<void>();
    const lost = failureOf(
      pool.run((session) => {
        proxy.freeze();
        begun.resolve();
        return session.send('SELECT 1');
      }),
    );
    await begun.promise;
    await pool.close();
    expect(await lost).toMatchObject({ name: 'SessionLostError' });
  });
});

describe('a plan', () => {
  it('is made once per statement, whatever the values are, and is never compiled', async () => {
    // One session reads, so that all plans are its own.
    const sql = createSql(parseAddress(database.address()), { readerCount: 1 });
    const statement = { name: 'numbers', text: 'SELECT * FROM generate_series(1, $1::integer) AS number' };
    for (let last = 1; last <= 20; last++) expect(await sql.read(statement, [last])).toHaveLength(last);
    expect(await sql.read({ name: 'compiled', text: 'SHOW jit' })).toEqual([{ jit: 'off' }]);
    const text = 'SELECT name, generic_plans, custom_plans FROM pg_prepared_statements';
    expect(await sql.read({ name: 'plans', text })).toContainEqual({
      ...{ name: 'numbers', generic_plans: '20', custom_plans: '0' },
    });
    await sql.close();
  });
});

describe('closing a store', () => {
  it('leaves no session behind if reads still wait for their turn', async () => {
    await using own = await makeDatabase();
    const store = await openPostgresStore({ address: own.address() });
    // Far more than the sessions take at once, and none that another could share.
    const reads = Array.from({ length: 500 }, async (_, index) =>
      store.pets.listPets({ limit: 1, after: BigInt(index) }),
    );
    const settled = Promise.allSettled(reads);
    await store.close();
    for (const read of await settled)
      if (read.status === 'rejected') expect(read.reason).toMatchObject({ code: 'unavailable' });
    const sessions = () =>
      own.run(`SELECT FROM pg_stat_activity WHERE datname = '${own.name}' AND application_name = 'petstore'`);
    // The server takes a moment to end them.
    while ((await sessions()).length > 0) await Bun.sleep(20);
  });
});

describe('a statement that takes too long', () => {
  it('is cancelled by the server before its caller gives up', async () => {
    const timeouts = { lockMs: 200, statementMs: 200, silenceMs: 60_000 };
    const pool = openPool(timeouts);
    const outcome = failureOf(pool.run((session) => session.send('SELECT pg_sleep(60)')));
    expect(await outcome).toMatchObject({ code: '57014' });
    await pool.close();
  });
});

describe('a server that accepts connections and stays silent', () => {
  it('fails a request in time, however patient the address is', async () => {
    await using proxy = await openProxy(sharedServer.port);
    const store = await openPostgresStore({ address: `${proxy.address(database.name)}&connect_timeout=60` });
    proxy.freeze();
    proxy.cutConnectionsThatSent('');
    const startedAt = performance.now();
    expect(await codeOf(Promise.resolve(store.pets.getPet(1n)))).toBe('unavailable');
    expect(performance.now() - startedAt).toBeLessThan(40_000);
    await store.close();
  });
});
