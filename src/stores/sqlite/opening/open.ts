/**
 * How a store is opened: `find.ts` finds the file behind the operator's name, and `check.ts` refuses an unusable one.
 * In WAL mode, the first read takes a lock that a restore waits for. `upgrade.ts` migrates an older schema. `watch.ts`
 * notices if the file, its log or its shared memory is moved or removed.
 */

import type { Database } from 'bun:sqlite';
import type { MigrationOptions } from '../../../system/migration.ts';
import { explain, noStore, replaced } from '../errors.ts';
import { newestVersion } from '../schema/migrate.ts';
import { refuseOldSqlite, refuseUnusable } from './check.ts';
import { connect, useWal } from './connect.ts';
import { findOrMakeStore, findStore, isInPlace, withSideFiles, type StoreFile } from './find.ts';
import { removeUnfinished, upgrade } from './upgrade.ts';

export interface OpenStore {
  store: StoreFile;
  database: Database;
  /** The schema version; 0 without a schema. */
  version: number;
}

/** Opens a store for reading and writing. Creates it if it is missing, checks it and migrates its schema. */
export function openForWriting(name: string, options: MigrationOptions = {}): OpenStore {
  refuseOldSqlite();
  for (;;) {
    const { store, database, version } = openInPlace(() => findOrMakeStore(name), true);
    if (version === newestVersion) {
      removeUnfinished(store);
      return { store: withSideFiles(store), database, version };
    }
    database.close();
    upgrade(store, options);
  }
}

/** Opens an existing store for a command that only reads. */
export function openForReading(name: string): OpenStore {
  const find = (): StoreFile => {
    const store = findStore(name);
    if (!store) throw noStore(name);
    return store;
  };
  return openInPlace(find, false);
}

const maxAttempts = 10;

/**
 * A restore may replace the file before the connection holds its lock. SQLite finds the log by name, so the connection
 * would then write rows of the old file into the new one. Start over if the file has changed.
 */
function openInPlace(find: () => StoreFile, mayWrite: boolean): OpenStore {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const store = find();
    const database = connect(store);
    try {
      const version = refuseUnusable(database, store);
      if (mayWrite) useWal(database);
      // In WAL mode, this read takes the lock.
      database.query('PRAGMA schema_version').get();
      if (isInPlace(store)) return { store, database, version };
      database.close();
    } catch (error) {
      database.close();
      if (isInPlace(store)) throw explain(error, store.name);
    }
  }
  throw replaced(find().name);
}
