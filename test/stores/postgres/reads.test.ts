import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, it } from 'bun:test';
import { Client } from 'pg';
import { parseAddress } from '../../../src/stores/postgres/address.ts';
import { openPostgresStore } from '../../../src/stores/postgres/open.ts';
import { createReader } from '../../../src/stores/postgres/reader.ts';
import type { Statement } from '../../../src/stores/statement.ts';
import { limits } from '../../../src/stores/postgres/session.ts';
import { createSql, type Sql } from '../../../src/stores/postgres/sql.ts';
import { createPet } from '../../support/changes.ts';
import { failureOf } from '../../support/failure.ts';
import { makeDatabase, type Database } from '../../support/postgres/server.ts';

/** A read waits for this lock at the server while the test holds it. */
const lock = 4711;

interface Row {
  value: string;
  query: string;
}

/** The time of the query shows which reads shared it. */
const selectValues: Statement = {
  name: 'select-values',
  input: { value: 'text' },
  sql: `SELECT input.value, statement_timestamp()::text AS query,
    pg_advisory_xact_lock_shared(${lock})::text AS lock`,
};

let database: Database;
let sql: Sql;
let holder: Client;

beforeAll(async () => {
  database = await makeDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());
beforeEach(async () => {
  sql = openSql(10_000);
  holder = new Client({ connectionString: database.address() });
  await holder.connect();
});
afterEach(async () => {
  await holder.end();
  await sql.close();
});

function openSql(lockMs: number): Sql {
  const timeouts = { lockMs, statementMs: 10_000, silenceMs: 10_000 };
  return createSql(parseAddress(database.address()), { readerCount: 1, timeouts });
}

function readValues(over: Sql) {
  const reader = createReader(over);
  return (value: string) => Promise.resolve(reader.read(selectValues, [value], ([row]: Row[]) => row));
}

const hold = () => holder.query(`SELECT pg_advisory_lock(${lock})`);
const release = () => holder.query(`SELECT pg_advisory_unlock(${lock})`);

describe('reads that wait together', () => {
  it('become one query after the one that was sent, and equal ones share a result', async () => {
    const read = readValues(sql);
    await hold();
    const sent = read('a');
    const waiting = Promise.all([read('a'), read('b'), read('b'), read('c')]);
    await release();
    const [a, b, sameB, c] = await waiting;
    expect([a, b, c].map((row) => row?.value)).toEqual(['a', 'b', 'c']);
    expect(sameB).toBe(b);
    expect([a, b, c].map((row) => row?.query)).toEqual([a?.query, a?.query, a?.query]);
    expect((await sent)?.query).not.toBe(a?.query);
  });

  it('become several queries if they are many', async () => {
    const read = readValues(sql);
    await hold();
    const all = Promise.all(Array.from({ length: 202 }, (_, index) => read(String(index))));
    await release();
    const rows = await all;
    expect(rows.map((row) => row?.value)).toEqual(Array.from(rows, (_, index) => String(index)));
    const queries = rows.map((row) => row?.query);
    expect([...new Set(queries.map((query) => queries.indexOf(query)))]).toEqual([0, 1, 101, 201]);
  });
});

describe('a read that begins after a write', () => {
  it('sees it, although an equal one is under way', async () => {
    const store = await openPostgresStore({ address: database.address() });
    const count: Statement = {
      input: { name: 'text' },
      sql: `SELECT count(*)::integer AS count, pg_advisory_xact_lock_shared(${lock})::text AS lock
        FROM pets WHERE folded_name = input.name`,
    };
    const reader = createReader(sql);
    const read = (name: string) => reader.read(count, [name], ([row]: { count: number }[]) => row?.count);
    await hold();
    const before = read('rex');
    // The query has its snapshot when it waits for the lock.
    while ((await holder.query('SELECT FROM pg_locks WHERE NOT granted')).rowCount === 0) await Bun.sleep(5);
    await store.pets.apply(createPet({ name: 'Rex', categoryId: 1n }));
    const after = read('rex');
    await release();
    expect([await before, await after]).toEqual([0, 1]);
    await store.close();
  });
});

describe('reads that fail', () => {
  it('fail if the store cannot be used, and start again after it', async () => {
    await using impatient = { sql: openSql(200), [Symbol.asyncDispose]: () => impatient.sql.close() };
    const read = readValues(impatient.sql);
    await hold();
    const errors = await Promise.all([failureOf(read('a')), failureOf(read('b'))]);
    for (const error of errors)
      expect(error).toMatchObject({ code: 'unavailable', cause: { code: '55P03' } });
    await release();
    expect((await read('b'))?.value).toBe('b');
  });

  it.each([
    { problem: 'a value', bad: 0, error: { code: '22012' } },
    { problem: 'damage', bad: 13, error: { code: 'XX001' } },
    { problem: 'a result that cannot be made', bad: 7, error: { message: 'Seven.' } },
  ])('fail alone because of $problem', async ({ bad, error }) => {
    await database.run(`CREATE OR REPLACE FUNCTION damaged() RETURNS text LANGUAGE plpgsql AS
      $$ BEGIN RAISE 'damaged' USING ERRCODE = 'data_corrupted'; END $$`);
    const divide: Statement = {
      input: { number: 'bigint' },
      sql: 'SELECT CASE input.number WHEN 13 THEN damaged() ELSE (100 / input.number)::text END AS value',
    };
    const reader = createReader(sql);
    const read = (number: number) =>
      Promise.resolve(
        reader.read(divide, [number], ([row]: { value: string }[]) => {
          if (number === 7) throw new Error('Seven.');
          return row?.value;
        }),
      );
    const [first, second, failure, last] = [read(1), read(2), failureOf(read(bad)), read(4)];
    expect(await failure).toMatchObject(error);
    expect(await Promise.all([first, second, last])).toEqual(['100', '50', '25']);
  });

  it('are refused if they wait too long, and the one under way goes on', async () => {
    const read = readValues(sql);
    await hold();
    const sent = read('a');
    const startedAt = performance.now();
    expect(await failureOf(read('a'))).toMatchObject({ code: 'unavailable' });
    expect(performance.now() - startedAt).toBeGreaterThan(limits.queueMs - 100);
    const later = read('b');
    await release();
    expect([(await sent)?.value, (await later)?.value]).toEqual(['a', 'b']);
  });
});
