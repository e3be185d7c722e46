import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StoreTables } from '../../src/stores/copy.ts';
import { openSqliteStore, openSqliteTables } from '../../src/stores/sqlite/open.ts';
import type { Store } from './http/service.ts';

export interface StoreOptions {
  maxQueuedWrites?: number;
  now?: () => number;
}

/** Where a store lives: it can be closed and opened again, or opened twice. */
export interface StorePlace extends AsyncDisposable {
  open(options?: StoreOptions): Promise<Store>;
  openTables(): Promise<StoreTables>;
  /** Every byte that the store has written so far. */
  readAll(): Promise<Buffer>;
}

export interface SqlitePlace extends StorePlace {
  path: string;
}

/** A place of the kind that every test of the API uses: `TEST_STORE=postgres` runs them on PostgreSQL, unchanged. */
export const makeStorePlace: () => Promise<StorePlace> =
  process.env['TEST_STORE'] === undefined
    ? makeSqlitePlace
    : async () => (await import('./postgres/place.ts')).makePostgresPlace();

export async function makeSqlitePlace(): Promise<SqlitePlace> {
  const folder = await mkdtemp(join(tmpdir(), 'petstore-'));
  const path = join(folder, 'petstore.db');
  return {
    path,
    open: async (options = {}) => openSqliteStore({ path, ...options }),
    openTables: () => openSqliteTables({ path, mayCreate: true }),
    async readAll() {
      const names = [...new Bun.Glob('*').scanSync(folder)];
      return Buffer.concat(await Promise.all(names.map((name) => Bun.file(join(folder, name)).bytes())));
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

/** A store in a new place, which goes away with it. */
export async function openTemporaryStore(makePlace = makeStorePlace): Promise<Store> {
  const place = await makePlace();
  const store = await place.open();
  return {
    ...store,
    async close() {
      await store.close();
      await place[Symbol.asyncDispose]();
    },
  };
}
