import type { BulkStore } from '../../src/bulk-store.ts';
import type { ImportStore } from '../../src/import-store.ts';
import { openPostgresBulk } from '../../src/postgres/tools/bulk.ts';
import { openPostgresImport } from '../../src/postgres/tools/import.ts';
import { openPostgresStore } from '../../src/postgres/open.ts';
import { openSqliteBulk } from '../../src/sqlite/bulk.ts';
import { openSqliteImport } from '../../src/sqlite/import.ts';
import { openSqliteStore } from '../../src/sqlite/open.ts';
import { makePostgresPlace } from './postgres/place.ts';
import type { Store } from './http/service.ts';
import { makeSqlitePlace } from './store-place.ts';

export interface StoreOptions {
  maxQueuedWrites?: number;
  now?: () => number;
}

export interface StorePlace {
  open(options: StoreOptions): Promise<Store>;
  openBulk(): Promise<BulkStore>;
  openImport(): Promise<ImportStore>;
  remove(): Promise<void>;
}

/** Every store, and how to make an empty one. What `store.test.ts` says holds on each of them. */
export const stores: Record<string, () => Promise<StorePlace>> = {
  async SQLite() {
    const place = await makeSqlitePlace();
    const { path } = place;
    return {
      open: async (options) => openSqliteStore({ path, ...options }),
      openBulk: () => openSqliteBulk({ path, mayCreate: true }),
      openImport: async () => openSqliteImport({ path }),
      remove: async () => place[Symbol.asyncDispose](),
    };
  },
  PostgreSQL: () => makePostgresStore(),
  'PostgreSQL, portable dialect': () => makePostgresStore('&dialect=portable'),
};

async function makePostgresStore(parameters = ''): Promise<StorePlace> {
  const place = await makePostgresPlace(parameters);
  const { address } = place;
  return {
    open: (options) => openPostgresStore({ address, ...options }),
    openBulk: () => openPostgresBulk({ address, mayCreate: true }),
    openImport: () => openPostgresImport({ address }),
    remove: async () => place[Symbol.asyncDispose](),
  };
}
