import { constants, Database } from 'bun:sqlite';
import { copyFileSync, existsSync, linkSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { OperatorError } from '../../domain/error.ts';
import { readWhenFree } from './connect.ts';
import { logHeaderBytes, stateOf, type StoreFile } from './store-file.ts';

/** A connection that changes no byte of the store or its side files. */
export interface ReadOnlyStore extends Disposable {
  database: Database;
  /** Call it after reading. Fails when the store was written meanwhile and no lock of SQLite prevented that. */
  refuseChanged(): void;
}

/**
 * An ordinary connection rewrites the shared memory, and moves the log into the file when it is closed. A read-only one
 * leaves both alone if both side files exist; otherwise it needs one of the ways around below.
 */
export function openReadOnly(store: StoreFile): ReadOnlyStore {
  const { path } = store;
  const logBytes = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size;
  // A kill can leave a log that is only a header. SQLite, read-only, waits for its first frame and gives up.
  const isOnlyHeader = logBytes === logHeaderBytes;
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
  return openLinked(store, refuseChanged);
}

/** For a log without shared memory: SQLite makes that beside the file, so it gets both files in a folder of their own. */
function openLinked(store: StoreFile, refuseChanged: () => void): ReadOnlyStore {
  return inFolder(store, (link) => {
    for (const suffix of ['', '-wal']) linkOrCopy(`${store.path}${suffix}`, `${link}${suffix}`);
    return opened(open(pathToFileURL(link).href, store), refuseChanged);
  });
}

/** For a transaction that a crash has interrupted: SQLite undoes it in the file before it reads, so it gets a copy. */
function openCopy(store: StoreFile, refuseChanged: () => void): ReadOnlyStore {
  return inFolder(store, (copy) => {
    for (const suffix of ['', '-journal']) copyFileSync(`${store.path}${suffix}`, `${copy}${suffix}`);
    return opened(open(pathToFileURL(copy).href, store, constants.SQLITE_OPEN_READWRITE), refuseChanged);
  });
}

/** The folder is beside the store if possible, and is removed once SQLite has its files open. */
function inFolder(store: StoreFile, openAt: (path: string) => ReadOnlyStore): ReadOnlyStore {
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

/** Some file systems have no hard links, and a link cannot lead to another file system. */
function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}

function open(address: string, store: StoreFile, access = constants.SQLITE_OPEN_READONLY): Database {
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

function changed({ name }: StoreFile): OperatorError {
  return new OperatorError(`${name} was changed while it was being read.`, 'Run the same command again.');
}
