import { afterEach, beforeEach, describe } from 'bun:test';
import type { BulkStore } from '../../src/domain/bulk/bulk-store.ts';
import type { ImportStore } from '../../src/domain/bulk/import-store.ts';
import { openPostgresBulk } from '../../src/postgres/maintenance/bulk.ts';
import { openPostgresImport } from '../../src/postgres/maintenance/import.ts';
import { openPostgresStore } from '../../src/postgres/open.ts';
import { openSqliteBulk } from '../../src/sqlite/maintenance/bulk.ts';
import { openSqliteImport } from '../../src/sqlite/maintenance/import.ts';
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
  async PostgreSQL() {
    const place = await makePostgresPlace();
    const { address } = place;
    return {
      open: (options) => openPostgresStore({ address, ...options }),
      openBulk: () => openPostgresBulk({ address, mayCreate: true }),
      openImport: () => openPostgresImport({ address }),
      remove: async () => place[Symbol.asyncDispose](),
    };
  },
};

/** What a test on every store works with. */
export interface EmptyStore {
  place: () => StorePlace;
  /** Opens the store, once more if it is open. It is closed after the test. */
  open: (options?: StoreOptions) => Promise<Store>;
}

/** Defines the same tests for every store; each test gets an empty one. */
export function onEveryStore(subject: string, define: (store: EmptyStore) => void): void {
  for (const [name, makePlace] of Object.entries(stores)) {
    describe(`${subject} on ${name}`, () => {
      let place: StorePlace;
      let opened: Store[];
      beforeEach(async () => {
        place = await makePlace();
        opened = [];
      });
      afterEach(async () => {
        await Promise.all(opened.map((store) => store.close()));
        await place.remove();
      });
      define({
        place: () => place,
        async open(options = {}) {
          const store = await place.open(options);
          opened.push(store);
          return store;
        },
      });
    });
  }
}
