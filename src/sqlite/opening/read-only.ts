import { constants, Database } from 'bun:sqlite';
import { copyFileSync, existsSync, linkSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { OperatorError } from '../../error.ts';
import { readWhenFree } from './connect.ts';
import type { OpenedStore } from './opened-store.ts';
import { stateOf } from './store-file.ts';
import { headerBytes } from '../wal/frames.ts';

/** A connection through which no byte of the store or of its side files changes. */
export interface ReadOnlyStore extends Disposable {
  database: Database;
  /** Call after reading: fails when the store was written meanwhile and SQLite's locks could not keep both apart. */
  refuseChanged(): void;
}

/**
 * A usual connection begins the shared memory anew, and folds the log into the file when it is closed. Read-only, it
 * leaves both alone if both side files exist; SQLite then keeps what it needs in memory of its own.
 */
export function openReadOnly(store: OpenedStore): ReadOnlyStore {
  const { path } = store;
  const logBytes = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size;
  // A kill leaves a log like this: SQLite, read-only, takes it for one that others keep beginning anew, and gives up.
  const isOnlyHeader = logBytes === headerBytes;
  const hasSharedMemory = existsSync(`${path}-shm`);
  if (logBytes !== undefined && !isOnlyHeader && hasSharedMemory) {
    return opened(open(`${pathToFileURL(path).href}?readonly_shm=1`, store));
  }
  const before = stateOf(store);
  const refuseChanged = (): void => {
    if (stateOf(store) !== before) throw changed(store);
  };
  // There is nothing in the log, and nobody has a store open that lacks a side file.
  if (!logBytes || isOnlyHeader)
    return opened(open(`${pathToFileURL(path).href}?immutable=1`, store), refuseChanged);
  return openElsewhere(store, refuseChanged);
}

/** A log without shared memory: SQLite makes that beside the file, so both are shown to it in a folder of their own. */
function openElsewhere(store: OpenedStore, refuseChanged: () => void): ReadOnlyStore {
  const folder = mkdtempSync(join(dirname(store.path), '.petstore-reading-'));
  const link = join(folder, 'store.db');
  try {
    for (const suffix of ['', '-wal']) linkOrCopy(`${store.path}${suffix}`, `${link}${suffix}`);
    return opened(open(pathToFileURL(link).href, store), refuseChanged);
  } finally {
    // SQLite has opened all that it needs.
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Some file systems have no hard links. */
function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}

function open(address: string, store: OpenedStore): Database {
  const database = new Database(address, constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI);
  try {
    readWhenFree(database, store);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function opened(database: Database, refuseChanged: () => void = () => {}): ReadOnlyStore {
  return { database, refuseChanged, [Symbol.dispose]: () => database.close() };
}

function changed({ name }: OpenedStore): OperatorError {
  return new OperatorError(`${name} was changed while it was being read. Run the same command again.`);
}
