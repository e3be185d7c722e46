import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, it } from 'bun:test';
import { Client } from 'pg';
import { parseAddress } from '../../../src/stores/postgres/address.ts';
import { openPostgresStore } from '../../../src/stores/postgres/open.ts';
import { createReads, createSharedRead } from '../../../src/stores/postgres/reads.ts';
import { limits } from '../../../src/stores/postgres/session.ts';
import { createSql, type Sql } from '../../../src/stores/postgres/sessions.ts';
import { createPet } from '../../support/changes.ts';
import { failureOf } from '../../support/failure.ts';
import { makeDatabase, type Database } from '../../support/postgres/server.ts';

/** A read waits for this lock at the server while the test holds it. */
const lock = 4711;

interface Row {
  place: number;
  value: string;
  query: string;
}

/** The id of the query shows which requests shared it. */
const selectValues = {
  name: 'select-values',
  text: `SELECT place::integer, value, query.id AS query
    FROM (SELECT gen_random_uuid()::text AS id, pg_advisory_xact_lock_shared(${lock})) AS query,
      unnest($1::text[]) WITH ORDINALITY AS asked (value, place)`,
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
  return createSql(parseAddress(database.address(), {}), { readerCount: 1, timeouts });
}

function readValues(over: Sql, rowCount = 1) {
  return createReads(over, {
    statement: selectValues,
    valuesOf: (value: string) => [value],
    rowCountOf: () => rowCount,
    resultOf: (row: Row | undefined) => row,
  });
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

  it('become several queries if they may read many rows', async () => {
    const read = readValues(sql, 400);
    await hold();
    const all = Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map(read));
    await release();
    const queries = (await all).map((row) => row?.query);
    expect(queries.map((query) => queries.indexOf(query))).toEqual([0, 1, 1, 3, 3, 5]);
    const large = readValues(sql, 5000);
    const rows = await Promise.all(['a', 'b', 'c'].map(large));
    expect(rows.map((row) => row?.value)).toEqual(['a', 'b', 'c']);
  });
});

describe('a read that begins after a write', () => {
  it('sees it, although an equal one is under way', async () => {
    const store = await openPostgresStore({ address: database.address() });
    const read = createReads(sql, {
      statement: {
        text: `SELECT place::integer, count FROM unnest($1::text[]) WITH ORDINALITY AS asked (name, place),
          LATERAL (SELECT count(*)::integer, pg_advisory_xact_lock_shared(${lock}) FROM pets
            WHERE pets.name = asked.name) AS found`,
      },
      valuesOf: (name: string) => [name],
      resultOf: (row: { place: number; count: number } | undefined) => row?.count,
    });
    await hold();
    const before = read('Rex');
    // The query has its snapshot when it waits for the lock.
    while ((await holder.query('SELECT FROM pg_locks WHERE NOT granted')).rowCount === 0) await Bun.sleep(5);
    await store.pets.apply(createPet({ name: 'Rex', categoryId: 1n }));
    const after = read('Rex');
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
    const read = createReads(sql, {
      statement: {
        text: `SELECT place::integer, CASE number WHEN 13 THEN damaged() ELSE (100 / number)::text END AS value
          FROM unnest($1::integer[]) WITH ORDINALITY AS asked (number, place)`,
      },
      valuesOf: (number: number) => [number],
      resultOf: (row: { place: number; value: string } | undefined, number) => {
        if (number === 7) throw new Error('Seven.');
        return row?.value;
      },
    });
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

/** Queries that end when the test says so. */
function startQueries() {
  const started: PromiseWithResolvers<string>[] = [];
  const query = (): Promise<string> => {
    const running = Promise.withResolvers<string>();
    started.push(running);
    return running.promise;
  };
  return { started, query };
}

describe('shared reads', () => {
  it('join a query only before it starts', async () => {
    const { started, query } = startQueries();
    const read = createSharedRead<string>();
    const first = read('page', query);
    const second = read('page', query);
    const third = read('page', query);
    expect(started).toHaveLength(1);
    started[0]!.resolve('before');
    expect(await first).toBe('before');
    expect(started).toHaveLength(2);
    const fourth = read('page', query);
    started[1]!.resolve('after');
    expect([await second, await third]).toEqual(['after', 'after']);
    expect(started).toHaveLength(3);
    started[2]!.resolve('last');
    expect(await fourth).toBe('last');
  });

  it('fail together behind a failed query, and start again after it', async () => {
    const { started, query } = startQueries();
    const read = createSharedRead<string>();
    const reads = Promise.allSettled([read('page', query), read('page', query)]);
    started[0]!.reject(new Error('down'));
    expect((await reads).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const later = read('page', query);
    started[1]!.resolve('up');
    expect(await later).toBe('up');
  });
});
