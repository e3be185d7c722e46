import type { Database } from 'bun:sqlite';
import { explainOpening, refuseOldSqlite, refuseUnusable } from './check-store.ts';
import { connect, makeDurable, readWhenFree } from './connect.ts';
import { migrate } from '../migrate.ts';
import { openOrCreate, refuseReplaced, type OpenedStore } from './opened-store.ts';
import { withLog } from './store-file.ts';

export interface WritableStore {
  store: OpenedStore;
  database: Database;
}

/** Opens a store, made, checked and brought up to date. One that is refused is left as it was, to the last byte. */
export function openWritable(name: string): WritableStore {
  refuseOldSqlite();
  const store = openOrCreate(name);
  refuseUnusable(store);
  let database: Database | undefined;
  try {
    database = connect(store);
    readWhenFree(database, store);
    makeDurable(database);
    migrate(database);
    // From here on, a restore finds the store in use.
    refuseReplaced(store);
    return { store: withLog(store), database };
  } catch (error) {
    database?.close();
    throw explainOpening(error, store);
  }
}
