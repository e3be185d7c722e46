import { Database } from 'bun:sqlite';
import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import type { MigrationOptions } from '../../src/stores/migration.ts';
import { openPostgresStore } from '../../src/stores/postgres/open.ts';
import { openSqliteStore } from '../../src/stores/sqlite/open.ts';
import expected100 from '../fixtures/1.0.0/expected.json';
import expected110 from '../fixtures/1.1.0/expected.json';
import expected200 from '../fixtures/2.0.0/expected.json';
import type { Store } from './http/service.ts';
import { untilWritable } from './postgres/availability.ts';
import { makeDatabase } from './postgres/server.ts';
import { makeFolder } from './process/process.ts';

export type Release = keyof typeof releases;

/** The releases whose stores are kept, each with its schema version. */
export const releases = {
  '1.0.0': { schemaVersion: 4, expected: expected100 },
  '1.1.0': { schemaVersion: 5, expected: expected110 },
  '2.0.0': { schemaVersion: 8, expected: expected200 },
};

/** A store as a release left it. */
export interface ReleaseStore extends AsyncDisposable {
  kind: 'SQLite' | 'PostgreSQL';
  /** What that release said about it. */
  expected: Expected;
  databaseUrl: string;
  /** Opens it as on the day it was made: a store forgets idempotency keys after a while. */
  open(options?: MigrationOptions): Promise<Store>;
  run(sql: string): Promise<void>;
  /** Its version, tables, columns and indexes. */
  schema(): Promise<unknown[]>;
}

type Newest = (typeof expected200)['stopped'];
type Expected = (typeof expected100)['stopped'] &
  Partial<Omit<Newest, 'keys'>> & { keys?: Partial<Newest['keys'][number]>[] };

/** Made by `test/fixtures/make-release-stores.ts`. */
export const releaseStores: Record<string, (release: Release) => Promise<ReleaseStore>> = {
  'SQLite after a stop': (release) => copyOf(release, 'stopped'),
  'SQLite after a kill': (release) => copyOf(release, 'killed'),
  PostgreSQL: restoreDump,
};

async function copyOf(release: Release, name: 'stopped' | 'killed'): Promise<ReleaseStore> {
  const folder = makeFolder();
  const path = folder.database;
  for (const suffix of ['', '-wal']) {
    const file = fixture(release, `${name}.db${suffix}`);
    if (existsSync(file)) copyFileSync(file, path + suffix);
  }
  const found: Expected = releases[release].expected[name];
  return {
    kind: 'SQLite',
    expected: found,
    databaseUrl: path,
    open: async (options) => openSqliteStore({ path, now: () => found.madeAt, ...options }),
    async run(sql) {
      using database = new Database(path);
      database.run(sql);
    },
    async schema() {
      using database = new Database(path);
      const parts = database.query('SELECT type, name, sql FROM sqlite_schema ORDER BY name').all();
      return [database.query('PRAGMA user_version').get(), ...parts];
    },
    [Symbol.asyncDispose]: async () => folder[Symbol.dispose](),
  };
}

async function restoreDump(release: Release): Promise<ReleaseStore> {
  const database = await makeDatabase();
  await database.run(await Bun.file(fixture(release, 'postgres.sql')).text());
  // Three connections are all open once the store can be written, so nothing depends on how long opening them takes.
  const address = database.address('?connection_limit=3&connect_timeout=60');
  const found: Expected = releases[release].expected.postgres;
  return {
    kind: 'PostgreSQL',
    expected: found,
    databaseUrl: address,
    async open(options) {
      const store = await openPostgresStore({ address, now: () => found.madeAt, ...options });
      await untilWritable(store.pets);
      return store;
    },
    async run(sql) {
      await database.run(sql);
    },
    schema: async () => [
      ...(await database.run('SELECT version FROM petstore_schema')),
      ...(await database.run(
        `SELECT relname::text, relkind::text, attname::text, atttypid::regtype::text, attnotnull
         FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
         WHERE relnamespace = 'public'::regnamespace ORDER BY relname, attname`,
      )),
    ],
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

function fixture(release: Release, file: string): string {
  return join(import.meta.dir, '../fixtures', release, file);
}
