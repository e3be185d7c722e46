import { Database } from 'bun:sqlite';
import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import type { MigrationOptions } from '../../src/migration.ts';
import { openPostgresStore } from '../../src/postgres/open.ts';
import { openSqliteStore } from '../../src/sqlite/open.ts';
import expected from '../fixtures/1.0.0/expected.json';
import type { Store } from './http/service.ts';
import { makeDatabase } from './postgres/server.ts';
import { makeFolder } from './process/process.ts';

interface OpenOptions extends MigrationOptions {
  recordsOrders?: boolean;
}

/** A store as 1.0.0 left it. */
export interface ReleaseStore extends AsyncDisposable {
  kind: 'SQLite' | 'PostgreSQL';
  /** What the API of 1.0.0 said about it. */
  expected: (typeof expected)['stopped'];
  databaseUrl: string;
  /** Opens it as on the day it was made: 1.0.0 forgets idempotency keys after a while. */
  open(options?: OpenOptions): Promise<Store>;
  run(sql: string): Promise<void>;
  /** Its version, tables, columns and indexes. */
  schema(): Promise<unknown[]>;
}

const fixtures = join(import.meta.dir, '../fixtures/1.0.0');

/** Made by `scripts/make-release-fixture.ts`. */
export const releaseStores: Record<string, () => Promise<ReleaseStore>> = {
  'SQLite after a stop': () => copyOf('stopped'),
  'SQLite after a kill': () => copyOf('killed'),
  PostgreSQL: restoreDump,
};

async function copyOf(name: 'stopped' | 'killed'): Promise<ReleaseStore> {
  const folder = makeFolder();
  const path = folder.database;
  for (const suffix of ['', '-wal']) {
    const file = join(fixtures, `${name}.db${suffix}`);
    if (existsSync(file)) copyFileSync(file, path + suffix);
  }
  const found = expected[name];
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

async function restoreDump(): Promise<ReleaseStore> {
  const database = await makeDatabase();
  await database.run(await Bun.file(join(fixtures, 'postgres.sql')).text());
  const address = database.address();
  const found = expected.postgres;
  return {
    kind: 'PostgreSQL',
    expected: found,
    databaseUrl: address,
    open: (options) => openPostgresStore({ address, now: () => found.madeAt, ...options }),
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
