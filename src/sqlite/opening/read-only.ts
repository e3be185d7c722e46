import { constants, Database } from 'bun:sqlite';
import { copyFileSync, existsSync, linkSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
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
  if (existsSync(`${path}-journal`)) return openCopy(store, refuseChanged);
  // The log is empty, or a side file is missing, which means that nobody has the store open.
  if (!logBytes || isOnlyHeader)
    return opened(open(`${pathToFileURL(path).href}?immutable=1`, store), refuseChanged);
  return openElsewhere(store, refuseChanged);
}

/** A log without shared memory: SQLite makes that beside the file, so both are shown to it in a folder of their own. */
function openElsewhere(store: OpenedStore, refuseChanged: () => void): ReadOnlyStore {
  return inFolder(store, (link) => {
    for (const suffix of ['', '-wal']) linkOrCopy(`${store.path}${suffix}`, `${link}${suffix}`);
    return opened(open(pathToFileURL(link).href, store), refuseChanged);
  });
}

/** A transaction that a crash has interrupted: SQLite takes it back before it reads, which only a copy may bear. */
function openCopy(store: OpenedStore, refuseChanged: () => void): ReadOnlyStore {
  return inFolder(store, (copy) => {
    for (const suffix of ['', '-journal']) copyFileSync(`${store.path}${suffix}`, `${copy}${suffix}`);
    return opened(open(pathToFileURL(copy).href, store, constants.SQLITE_OPEN_READWRITE), refuseChanged);
  });
}

/** A folder of the store's file system if that may be written, which goes away once SQLite has opened what it needs. */
function inFolder(store: OpenedStore, openAt: (path: string) => ReadOnlyStore): ReadOnlyStore {
  const folder = makeFolder(dirname(store.path)) ?? mkdtempSync(join(tmpdir(), 'petstore-reading-'));
  try {
    return openAt(join(folder, 'store.db'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function makeFolder(parent: string): string | undefined {
  try {
    return mkdtempSync(join(parent, '.petstore-reading-'));
  } catch {
    return undefined;
  }
}

/** Some file systems have no hard links, and none lead to another one. */
function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}

function open(address: string, store: OpenedStore, access = constants.SQLITE_OPEN_READONLY): Database {
  const database = new Database(address, access | constants.SQLITE_OPEN_URI);
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
