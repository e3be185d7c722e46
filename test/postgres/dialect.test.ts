import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { openPostgresStore } from '../../src/postgres/open.ts';
import { failureOf } from '../support/failure.ts';
import { openProxy, type PostgresProxy } from '../support/postgres/proxy.ts';
import { makeDatabase, sharedServer, type Database } from '../support/postgres/server.ts';
import { useEverything } from '../support/postgres/use-everything.ts';

const rex = { name: 'Rex', categoryId: 1n };
let database: Database;
let proxy: PostgresProxy;

beforeAll(async () => {
  database = await makeDatabase();
  proxy = await openProxy(sharedServer.port);
});
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

interface Place {
  schema: string;
  /** Leads through the proxy. The place comes before PostgreSQL's own functions, so its functions win. */
  address: string;
}

async function makePlace(parameters = ''): Promise<Place> {
  const url = new URL(await database.makeSchema());
  const schema = /search_path=(\w+)/.exec(url.searchParams.get('options') ?? '')?.[1] ?? '';
  url.port = String(proxy.port);
  return { schema, address: `${url.href}%2Cpg_catalog&sslmode=disable${parameters}` };
}

/** What such engines lack, or what engines read otherwise than PostgreSQL. */
const unportable = {
  LATERAL: /\bLATERAL\b/i,
  'AS MATERIALIZED': /\bMATERIALIZED\b/i,
  concat: /\bconcat\s*\(/i,
  'SELECT FROM': /\bSELECT\s+FROM\b/i,
  'a LIMIT that is no constant': /\bLIMIT\s+(?!\d)/i,
  notifications: /\b(?:LISTEN|pg_notify)\b/i,
  "settings of PostgreSQL's planner": /plan_cache_mode|enable_seqscan/i,
};

async function constructsOf(parameters: string): Promise<string[]> {
  const sent = proxy.record();
  const [one, other] = [await makePlace(parameters), await makePlace(parameters)];
  await useEverything(one.address, other.address);
  const text = sent.join('\n');
  // So that nothing is taken for absent because it was not recorded.
  for (const known of [
    'insert-pets-once',
    'insert-pets-and-orders',
    'update-pets',
    'delete-pets',
    'select-orders-of-status',
    'write-proof',
    'revoke-key',
    'CREATE TABLE',
    'INTO imports',
    'setval',
  ])
    expect(text).toContain(known);
  return Object.entries(unportable)
    .filter(([, pattern]) => pattern.test(text))
    .map(([name]) => name);
}

describe('the portable dialect', () => {
  it('sends nothing that only PostgreSQL understands', async () => {
    expect(await constructsOf('&dialect=portable')).toEqual([]);
  });

  it('sends PostgreSQL its own dialect', async () => {
    const found = await constructsOf('');
    expect(found).toContain('LATERAL');
    expect(found).toContain('concat');
    expect(found).toContain('notifications');
  });

  it('prepares one portable statement for each limit', async () => {
    const { address } = await makePlace('&dialect=portable');
    const store = await openPostgresStore({ address });
    for (let count = 0; count < 3; count++) await store.pets.createPet({ ...rex, status: 'pending' });
    const sent = proxy.record();
    const pages = [];
    for (const limit of [1, 2, 3, 100]) pages.push(await store.pets.listPets({ limit, status: 'pending' }));
    expect(pages.map(({ next }) => next)).toEqual([1n, 2n, undefined, undefined]);
    expect(pages.map(({ json }) => (JSON.parse(json) as unknown[]).length)).toEqual([1, 2, 3, 3]);
    for (const limit of [1, 2, 3, 100]) {
      expect(sent.join()).toContain(`select-page-of-status-${limit}\0`);
      expect(sent.join()).toContain(`LIMIT ${limit + 1}\0`);
    }
    await store.close();
  });
});

const cockroach = 'CockroachDB CCL v24.3.1 (x86_64-pc-linux-gnu, built 2024/12/09 10:00:00, go1.22.8)';
const yugabyte = 'PostgreSQL 15.2-YB-2025.1.0.0-b1 on x86_64-pc-linux-gnu, compiled by clang, 64-bit';
const ordinary = 'PostgreSQL 17.2 (Debian 17.2-1.pgdg120+1) on x86_64-pc-linux-gnu, compiled by gcc, 64-bit';

describe('the dialect', () => {
  it.each([
    ['portable', 'CockroachDB', cockroach, ''],
    ['portable', 'YugabyteDB', yugabyte, ''],
    ['postgres', 'PostgreSQL', ordinary, ''],
    ['postgres', 'CockroachDB with dialect=postgres', cockroach, '&dialect=postgres'],
    ['portable', 'PostgreSQL with dialect=portable', ordinary, '&dialect=portable'],
  ])('uses the %s dialect on %s', async (expected, _engine, version, parameters) => {
    const { schema, address } = await makePlace(parameters);
    await database.run(
      `CREATE FUNCTION ${schema}.version() RETURNS text LANGUAGE sql AS $$ SELECT '${version}' $$`,
    );
    const sent = proxy.record();
    const store = await openPostgresStore({ address });
    await store.pets.listPets({ limit: 20 });
    await store.close();
    const names = { portable: 'select-page-20\0', postgres: 'select-page\0' };
    const used = Object.entries(names).filter(([, name]) => sent.join().includes(name));
    expect(used.map(([name]) => name)).toEqual([expected]);
  });
});

describe('an engine without functions of PostgreSQL', () => {
  it.each([
    ['that says what it is', cockroach, ''],
    ['that the address declares', ordinary, '&dialect=portable'],
  ])('serves an engine %s when its replicas start together', async (_name, version, parameters) => {
    const { schema, address } = await makePlace(parameters);
    await database.run(
      `CREATE FUNCTION ${schema}.version() RETURNS text LANGUAGE sql AS $$ SELECT '${version}' $$`,
    );
    await takeAway(schema, 'pg_walfile_name(pg_lsn) RETURNS text', 'XX000');
    await takeAway(schema, 'pg_advisory_xact_lock(bigint) RETURNS void', '0A000');
    const stores = await Promise.all(Array.from({ length: 5 }, () => openPostgresStore({ address })));
    const ids = await Promise.all(stores.map(async ({ pets }) => (await pets.createPet(rex)).id));
    expect(new Set(ids).size).toBe(5);
    for (const { pets } of stores) {
      await pets.checkWritable();
      for (const id of ids) expect(await pets.getPet(id)).toBeDefined();
    }
    await Promise.all(stores.map((store) => store.close()));
  });

  it('refuses such an engine when the address says that it is PostgreSQL', async () => {
    const { schema, address } = await makePlace('&dialect=postgres');
    await takeAway(schema, 'pg_advisory_xact_lock(bigint) RETURNS void', '0A000');
    expect(await failureOf(openPostgresStore({ address, startWithinMs: 0 }))).toMatchObject({
      message: expect.stringContaining('(0A000)'),
    });
  });
});

/** Calls of this function fail with the code, as they do on an engine that lacks it. */
async function takeAway(schema: string, signature: string, code: string): Promise<void> {
  await database.run(
    `CREATE FUNCTION ${schema}.${signature} LANGUAGE plpgsql AS
     $$ BEGIN RAISE EXCEPTION 'not supported' USING ERRCODE = '${code}'; END $$`,
  );
}
