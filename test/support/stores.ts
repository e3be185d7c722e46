import { afterEach, beforeEach, describe } from 'bun:test';
import type { Store } from './http/service.ts';
import { makePostgresPlace } from './postgres/place.ts';
import { makeSqlitePlace, type StoreOptions, type StorePlace } from './store-place.ts';

/** Every store, and how to make an empty one. What `store.test.ts` says holds on each of them. */
export const stores: Record<string, () => Promise<StorePlace>> = {
  SQLite: makeSqlitePlace,
  PostgreSQL: makePostgresPlace,
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
        await place[Symbol.asyncDispose]();
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
