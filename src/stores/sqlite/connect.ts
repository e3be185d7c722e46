import { constants, Database } from 'bun:sqlite';
import { OperatorError } from '../../domain/error.ts';
import { partialForm, removeLeftovers, sizeOf } from '../../system/files.ts';
import type { MakeOptions } from '../create-store.ts';
import { damaged, operatorError, isBusy, isUnreadable, noStore, replaced } from './errors.ts';
import { findOrMakeStore, findStore, holdsFrames, refuseUnwritable, type StoreFile } from './file.ts';
import { checkOwnership, makeSchema, readPragma } from './schema.ts';
import { isInPlace, withSideFiles } from './watch.ts';

/**
 * How a store is opened: `file.ts` finds the file behind the operator's name. A connection refuses an unusable file. In
 * WAL mode, the first read takes a lock that a restore waits for. An empty file gets its tables. From then on,
 * `watch.ts` notices if the file, its log or its shared memory is moved or removed.
 */

/** How long a connection waits for another one's lock. */
const busyTimeoutMs = 5000;

/** Opens a connection. One that only reads never moves the log into the file. */
export function connect({ path }: StoreFile, { mayWrite = true } = {}): Database {
  const mode = mayWrite ? { readwrite: true, create: false } : { readonly: true };
  const database = new Database(path, { ...mode, strict: true });
  // Must come first, so that the statements below wait for another process's lock instead of failing.
  database.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  if (!mayWrite) return database;
  // Keep the side files: a start on a full disk could not create them again.
  database.fileControl(constants.SQLITE_FCNTL_PERSIST_WAL, 1);
  // A long-lived snapshot makes the log grow; the next checkpoint then truncates it to this size. With a limit set,
  // SQLite also empties the log on close.
  database.run(`PRAGMA journal_size_limit = ${16 * 1024 * 1024}`);
  return database;
}

/** In WAL mode, only FULL syncs the log at every commit. The setting lasts as long as the connection. */
export function useWal(database: Database): void {
  const { journal_mode: mode } = database.query('PRAGMA journal_mode = WAL').get() as {
    journal_mode: string;
  };
  if (mode !== 'wal') throw new Error(`journal_mode is ${mode}`);
  database.run('PRAGMA synchronous = FULL');
}

/** Opens another connection to an open store. */
export function connectReadOnly(store: StoreFile): Database {
  const database = connect(store, { mayWrite: false });
  // The first read takes the lock that a restore waits for.
  database.query('PRAGMA schema_version').get();
  return database;
}

/**
 * Opens the only connection to a store; all others wait until it is closed. BEGIN EXCLUSIVE alone would succeed beside
 * a service that has the store open. A file that SQLite cannot read is not locked, and its first query fails.
 */
export function openAlone({ name, path }: StoreFile): Database {
  try {
    return whenFree(() => {
      // Reopen for each attempt: in this mode, a waiting connection keeps a read lock, which could block another one.
      const database = new Database(path, { readwrite: true, create: false, strict: true });
      try {
        database.run('PRAGMA locking_mode = EXCLUSIVE');
        database.run('BEGIN EXCLUSIVE');
        // ROLLBACK keeps the lock, while COMMIT would write the first page of an empty file.
        database.run('ROLLBACK');
      } catch (error) {
        if (!isUnreadable(error)) {
          database.close();
          throw error;
        }
      }
      return database;
    }, pauseAloneMs);
  } catch (error) {
    if (!isBusy(error)) throw error;
    throw new OperatorError(`${name} is in use.`, 'Stop its services first.');
  }
}

const pauseAloneMs = 20;

/**
 * Retries until no other connection holds the lock, for connections without a busy timeout. SQLite's own wait sleeps up
 * to 100 ms between attempts, and a busy neighbour takes the lock again each time.
 */
export function whenFree<Result>(action: () => Result, pauseMs = 1): Result {
  const deadline = performance.now() + busyTimeoutMs;
  for (;;) {
    try {
      return action();
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
      // Random, so that waiting processes do not retry in step.
      Bun.sleepSync(pauseMs * (0.5 + Math.random()));
    }
  }
}

/** Files up to this size are checked completely at start; larger ones are checked as they are read. */
const maxCheckedBytes = 16 * 1024 * 1024;

/** Refuses a store that is damaged, not ours, or of another version. */
function refuseUnusable(database: Database, { name, path }: StoreFile): void {
  checkOwnership(database, name);
  if (isTorn(database, path)) throw damaged(name);
  if (sizeOf(path) <= maxCheckedBytes) refuseDamage(database, name);
}

/**
 * Whether the end of the file is missing, which SQLite would read as zeros. A log may hold that end: a checkpoint that
 * was cut off leaves a partial page. Check the log last, because it may just have begun.
 */
function isTorn(database: Database, path: string): boolean {
  const [pageSize, pageCount] = [readPragma(database, 'page_size'), readPragma(database, 'page_count')];
  const size = sizeOf(path);
  const isWhole = size % pageSize === 0 && size >= pageSize * pageCount;
  return !isWhole && !holdsFrames(`${path}-wal`);
}

/** Checks the structure of the file; `stores/check.ts` compares rows with their columns. */
export function refuseDamage(database: Database, name: string): void {
  const [result] = database.query<{ quick_check: string }, []>('PRAGMA quick_check(1)').all();
  if (result?.quick_check !== 'ok') throw damaged(name);
}

/** The SQLite inside Bun. */
export function sqliteVersion(): string {
  using database = new Database(':memory:');
  const { version } = database.query('SELECT sqlite_version() AS version').get() as { version: string };
  return version;
}

export interface OpenStore {
  store: StoreFile;
  database: Database;
}

/** Opens an existing store for a command that only reads. */
export function openForReading(name: string): OpenStore {
  const store = findStore(name);
  if (!store) throw noStore(name);
  return openInPlace(store, false);
}

/** Opens a store for reading and writing. Makes it if it is missing and may be made, and checks it. */
export function openForWriting(name: string, { mayCreate = true, onMade }: MakeOptions = {}): OpenStore {
  const file = mayCreate ? findOrMakeStore(name) : findStore(name);
  if (!file) throw noStore(name);
  refuseUnwritable(name);
  const { store, database } = openInPlace(file, true);
  try {
    if (makeSchema(database)) onMade?.();
    // From restores that were killed. None can be running, because the store is open.
    removeLeftovers(store.path, partialForm);
    return { store: withSideFiles(store), database };
  } catch (error) {
    database.close();
    throw operatorError(error, name);
  }
}

/**
 * A restore may replace the file before the connection holds its lock. SQLite finds the log by name, so the connection
 * would then write rows of the old file into the new one.
 */
function openInPlace(store: StoreFile, mayWrite: boolean): OpenStore {
  const database = connect(store, { mayWrite });
  try {
    refuseUnusable(database, store);
    if (mayWrite) useWal(database);
    // In WAL mode, this read takes the lock.
    database.query('PRAGMA schema_version').get();
    if (isInPlace(store)) return { store, database };
    throw replaced(store.name);
  } catch (error) {
    database.close();
    throw isInPlace(store) ? operatorError(error, store.name) : replaced(store.name);
  }
}
