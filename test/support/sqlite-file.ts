import { Database } from 'bun:sqlite';
import { afterEach, beforeEach } from 'bun:test';
import type { Store } from '../../src/stores/store.ts';
import { openSqliteStore } from '../../src/stores/sqlite/open.ts';
import { makeSqlitePlace, type SqlitePlace, type StoreOptions } from './store-place.ts';

/** A place for a store that is empty when a test begins. */
export interface SqliteFile {
  readonly path: string;
  /** Opens the store, once more if it is open. It is closed after the test. */
  open(options?: StoreOptions): Store;
  /** Changes the file past the store. */
  change(...statements: string[]): void;
}

export function useSqliteFile(): SqliteFile {
  let place: SqlitePlace;
  let opened: Store[];
  beforeEach(async () => {
    place = await makeSqlitePlace();
    opened = [];
  });
  afterEach(async () => {
    await Promise.all(opened.map((store) => store.close()));
    await place[Symbol.asyncDispose]();
  });
  return {
    get path() {
      return place.path;
    },
    open(options = {}) {
      const store = openSqliteStore({ path: place.path, ...options });
      opened.push(store);
      return store;
    },
    change(...statements) {
      using database = new Database(place.path);
      for (const statement of statements) database.run(statement);
      // As every command does, so that an open store sees it.
      Bun.sleepSync(2);
    },
  };
}
