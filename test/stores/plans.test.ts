import { Database } from 'bun:sqlite';
import { describe, expect, it } from 'bun:test';
import { Client } from 'pg';
import { createStore } from '../../src/stores/create-store.ts';
import type { Engine, Statement } from '../../src/stores/statement.ts';
import { applyBatch, deleteExpired } from '../../src/stores/apply.ts';
import { createEngine } from '../../src/stores/postgres/engine.ts';
import { createTx as createPostgresTx } from '../../src/stores/postgres/tx.ts';
import { openPostgresStore } from '../../src/stores/postgres/open.ts';
import { keepPlans, type Prepared } from '../../src/stores/postgres/session.ts';
import { createSql, type Sql } from '../../src/stores/postgres/sql.ts';
import { parseAddress } from '../../src/stores/postgres/address.ts';
import { makeSchema } from '../../src/stores/sqlite/schema.ts';
import { createStatements, dialect, translate } from '../../src/stores/sqlite/statements.ts';
import { createTx } from '../../src/stores/sqlite/tx.ts';
import { petStatuses } from '../../src/domain/pet.ts';
import { sorts, type Store } from '../../src/stores/store.ts';
import { createPet, deleteCategory, deletePet, putCategory, updatePet } from '../support/changes.ts';
import { makeDatabase, type Database as PostgresDatabase } from '../support/postgres/server.ts';

/**
 * Every statement that serves requests finds its rows by an index and in its order, however many there are. Scans are
 * those of searches alone.
 */

const rowCount = 20_000;

/** Fills the large tables; `numbers` is a FROM clause with a column n from 1. */
const fill = (numbers: string): string[] => [
  `INSERT INTO pets (id, json, status, category_id, folded_name)
   SELECT n, '{"id":' || n || ',"name":"Rex","categoryId":1}', CASE WHEN n % 10 = 0 THEN NULL ELSE 'available' END, n % 7, 'rex' FROM ${numbers}`,
  `INSERT INTO orders (id, json, pet_id, status, created_at, returned_at)
   SELECT n, '{"id":' || n || ',"name":"Rex","categoryId":1}', n % 10000, CASE WHEN n % 2 = 0 THEN 'sold' ELSE 'pending' END, n,
     CASE WHEN n % 1000 = 0 THEN n END FROM ${numbers}`,
  `INSERT INTO categories (id, json) SELECT n, '{"id":' || n || ',"name":"Rex","categoryId":1}' FROM ${numbers}`,
  `INSERT INTO events (id, json, type, pet_id, created_at)
   SELECT n, '{"type":"pet.created"}', 'pet.created', n, ${Date.now()} FROM ${numbers}`,
  `INSERT INTO idempotency_keys (caller, key, request_hash, pet_id, created_at)
   SELECT 'somebody', CAST(n AS text), '', n, ${Date.now()} FROM ${numbers}`,
];

/** Uses every read and every change, alone and in batches of more than what SQLite takes at once. */
async function useAll(store: Store): Promise<void> {
  const { pets, orders, events, keys } = store;
  const many = Array.from({ length: 40 }, (_, index) => index);
  const [middle, end] = [BigInt(rowCount / 2), BigInt(rowCount)];
  for (const after of [{}, { after: middle }, { after: end }]) {
    await pets.listPets({ limit: 20, ...after });
    await pets.listCategories({ limit: 20, ...after });
    for (const sort of sorts) {
      await pets.searchPets({ limit: 20, sort, ...after });
      for (const status of petStatuses) await pets.searchPets({ limit: 20, sort, status, ...after });
      for (const filter of [
        {},
        { petId: 5n },
        { returned: true },
        { since: 1, returned: false },
        { until: 9 },
      ])
        for (const status of [{}, { status: 'sold' }] as const)
          await orders.listOrders({ limit: 20, sort, ...filter, ...status, ...after });
    }
  }
  await pets.getCategory(5n);
  await pets.searchPets({ limit: 20, id: 7n, words: ['rex'] });
  await Promise.all(many.map(async (n) => pets.getPet(BigInt(n))));
  const { next } = await events.listEvents({ limit: 1, after: 'now' });
  for (const request of [
    {},
    { petId: 7n },
    { type: 'pet.created' },
    { after: { ...next, id: middle } },
  ] as const)
    await events.listEvents({ limit: 20, ...request });

  const key = (n: number) => ({ caller: 'plans', key: String(n) });
  const created = await Promise.all(
    many.map((n) => pets.apply(createPet({ name: 'Rex', categoryId: 1n, status: 'sold' }, key(n)))),
  );
  for (const status of ['available', 'pending'] as const)
    await Promise.all(created.map(({ id }) => pets.apply(updatePet(id, { changes: { status } }))));
  await Promise.all(created.map(({ id }) => pets.apply(deletePet(id))));
  await Promise.all(many.map((n) => pets.apply(putCategory(-BigInt(n), 'Dogs'))));
  await Promise.all(many.map((n) => pets.apply(deleteCategory(-BigInt(n)))));
  const till = { name: 'till', lastFour: '', isReadOnly: false, mayDelete: true, createdAt: new Date(1) };
  const tills = await Promise.all(many.map((n) => keys.createKey({ ...till, hash: `${n}` })));
  await keys.findKey('7');
  await Promise.all(tills.map(({ id }) => keys.recordUse(id, new Date(2))));
  await Promise.all(tills.map(({ id }) => keys.revokeKey(id, new Date(3))));
}

/** The column that a page asks for first, and how its plan begins in an index. */
const boundsOfPages = new Map([
  ['id', /\(rowid[<>=]\?/],
  ['status', /_by_status \(status=\? AND id[<>]\?/],
  ['pet_id', /orders_by_pet \(pet_id=\? AND id[<>]\?/],
  ['returned_at', /orders_returned \(id[<>]\?/],
  ['created_at', /orders_by_time \(created_at[<>]\?/],
]);

describe('on SQLite, every statement', () => {
  /** Notes the text of every statement. */
  class NotingDatabase extends Database {
    readonly statements = new Set<string>();

    override query(sql: string): never {
      this.statements.add(sql);
      return super.query(sql) as never;
    }
  }

  it('finds its rows by an index, in its order', async () => {
    using database = new NotingDatabase(':memory:');
    makeSchema(database);
    const numbers = `(WITH RECURSIVE numbers (n) AS (
      SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${rowCount}) SELECT n FROM numbers)`;
    for (const sql of fill(numbers)) database.run(sql);
    const before = database.statements.size;
    const { run } = createStatements(database);
    const tx = createTx(database);
    const scans: string[] = [];
    const waiting: Parameters<typeof applyBatch>[1][number][] = [];
    let batch: ReturnType<typeof applyBatch> | undefined;
    const engine: Engine = {
      dialect,
      version: () => undefined,
      checkEventsEveryMs: 1,
      areWritesFailing: () => false,
      read: (statement, values, resultOf) => resultOf(run(statement, values)),
      async scan<Row>(statement: Statement): Promise<Row[]> {
        scans.push(translate(statement));
        return [];
      },
      async apply(change) {
        const place = waiting.push(change) - 1;
        batch ??= Promise.resolve().then(async () => {
          const outcomes = await applyBatch(tx, waiting.splice(0));
          await deleteExpired(tx, Date.now(), 100);
          batch = undefined;
          return outcomes;
        });
        return (await batch)[place] ?? 'missing';
      },
      close: async () => {},
    };
    await useAll(createStore(engine, {}));
    const plans = [...database.statements].slice(before).map((sql) => {
      const steps = database.prepare<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`).all();
      return { sql, steps: steps.map(({ detail }) => detail) };
    });
    expect(plans.length).toBeGreaterThan(40);
    const large = /^SCAN (?:pets|orders|categories|events|first|idempotency_keys|old)\b/;
    for (const { sql, steps } of plans) {
      // The oldest event that stays is found from the start of the log.
      const bad = steps.filter(
        (step) => /TEMP B-TREE/.test(step) || (large.test(step) && !step.startsWith('SCAN first')),
      );
      expect({ sql, bad }).toEqual({ sql, bad: [] });
    }
    const pages = plans.filter(({ sql }) => sql.includes('AS page'));
    for (const { sql, steps } of pages) {
      const [, column = ''] = /FROM \w+\s+WHERE \(?(?:events\.)?(\w+)/.exec(sql) ?? [];
      const bounds = boundsOfPages.get(column) ?? 'no known column';
      expect([sql, steps.join()]).toEqual([sql, expect.stringMatching(bounds)]);
    }
  });
});

describe('on PostgreSQL, every statement', () => {
  it('finds its rows by an index, in its order, with a plan made before its values are known', async () => {
    await using database = await makeFilled(rowCount);
    const address = database.address();
    const sql = createSql(parseAddress(address), { readerCount: 1 });
    const statements = new Map<string, string>();
    const note = (statement: string | Prepared): void => {
      if (typeof statement !== 'string') statements.set(statement.name ?? '', statement.text);
    };
    const noting: Sql = {
      ...sql,
      read(statement, values) {
        note(statement);
        return sql.read(statement, values);
      },
      write: (work) =>
        sql.write((query) =>
          work((statement, values) => {
            note(statement);
            return query(statement, values);
          }),
        ),
    };
    const engine = createEngine(noting, {});
    const store = createStore(engine, {});
    await useAll(store);
    await noting.write((query) => deleteExpired(createPostgresTx(query), Date.now(), 100));
    await store.close();
    expect(statements.size).toBeGreaterThan(35);
    // A session may keep a plan that it made when there were few rows, or none.
    for (const rows of [0, 30]) {
      await using small = await makeFilled(rows);
      await expectIndexes(statements, small.address());
    }
    await expectIndexes(statements, address);
  });

  async function makeFilled(rows: number): Promise<PostgresDatabase> {
    const database = await makeDatabase();
    await (await openPostgresStore({ address: database.address() })).close();
    for (const sql of fill(`generate_series(1, ${rows}) AS n`)) await database.run(sql);
    if (rows > 0) await database.run('ANALYZE');
    for (const sequence of ['pet_ids', 'order_ids'])
      await database.run(`SELECT setval('${sequence}', ${rowCount})`);
    return database;
  }

  async function expectIndexes(statements: Map<string, string>, address: string): Promise<void> {
    await using session = await connect(address);
    for (const [name, value] of Object.entries(keepPlans)) await session.query(`SET ${name} = '${value}'`);
    for (const [name, text] of statements) {
      if (/^(?:draw-|lock-events)/.test(name)) continue;
      const { rows } = await session.query<{ 'QUERY PLAN': string }>(`EXPLAIN (GENERIC_PLAN) ${text}`);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect([name, plan]).toEqual([
        name,
        expect.not.stringMatching(/Seq Scan on (?:pets|orders|categories|events|idempotency_keys)/),
      ]);
      const index = indexes.find(([start]) => name.startsWith(start));
      if (index) expect([name, plan]).toEqual([name, expect.stringContaining(index[1])]);
      // What a batch locks is sorted, so that two batches lock it alike.
      if (!name.startsWith('lock-'))
        expect([name, plan]).toEqual([name, expect.not.stringContaining('Sort')]);
    }
  }
});

/** How the names of statements begin, and what their plans have: a condition on the index of both columns. */
const indexes = [
  ['pets-status-', 'pets_by_status on pets'],
  ['orders-status-', 'orders_by_status on orders'],
  ['orders-pet-', 'orders_by_pet on orders'],
  ['orders-time-', 'orders_by_time on orders'],
  ['orders-returned-', 'orders_returned on orders'],
] as const;

async function connect(address: string): Promise<Client & AsyncDisposable> {
  const client = new Client(address);
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}
