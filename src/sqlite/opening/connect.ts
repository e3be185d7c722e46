import { constants, Database } from 'bun:sqlite';
import { isBusy, replaced } from '../errors.ts';
import { isInPlace, type StoreFile } from './store-file.ts';

/** How long a connection waits for another one's lock. */
const busyTimeoutMs = 5000;

/** Every connection to a file is opened here. What its schema calls may have no side effect. */
export function openDatabase(address: string, options: ConstructorParameters<typeof Database>[1]): Database {
  const database = new Database(address, options);
  database.run('PRAGMA trusted_schema = OFF');
  return database;
}

/** Opens a connection that may write. */
export function connect(store: StoreFile): Database {
  const database = openDatabase(store.path, { readwrite: true, create: false, strict: true });
  // First, so that the statements below wait for another process's lock instead of failing.
  database.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  // SQLite would remove the side files with the last connection, and a start on a full disk could not make them again.
  database.fileControl(constants.SQLITE_FCNTL_PERSIST_WAL, 1);
  // A reader that held a snapshot for long has let the log grow; the next checkpoint cuts it to this size. With a
  // limit set, SQLite also empties the log that it leaves behind.
  database.run(`PRAGMA journal_size_limit = ${16 * 1024 * 1024}`);
  return database;
}

/**
 * Reads for the first time, after whoever holds the lock. That may be a restore, which puts another file in this place.
 * SQLite finds a log by its name, so a connection to the old file would then read the log of the new one.
 */
export function readWhenFree(database: Database, store: StoreFile): void {
  database.run('PRAGMA busy_timeout = 0');
  whenFree(() => {
    refuseReplaced(store);
    database.query('PRAGMA schema_version').get();
  });
  refuseReplaced(store);
  database.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
}

export function refuseReplaced(store: StoreFile): void {
  if (!isInPlace(store)) throw replaced(store.name);
}

const lockPollMs = 1;

/**
 * Tries until no other connection holds the lock; for connections without a busy timeout. SQLite's own wait sleeps up to
 * 100 ms between two attempts, in which a busy neighbour takes the lock again and again.
 */
export function whenFree<Result>(attempt: () => Result, waitMs = busyTimeoutMs): Result {
  const deadline = performance.now() + waitMs;
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
      Bun.sleepSync(lockPollMs);
    }
  }
}

/** In WAL mode, only FULL syncs the log at every commit. SQLite forgets it with the connection. */
export function makeDurable(database: Database): void {
  const { journal_mode: mode } = database.query('PRAGMA journal_mode = WAL').get() as {
    journal_mode: string;
  };
  if (mode !== 'wal') throw new Error(`journal_mode is ${mode}`);
  database.run('PRAGMA synchronous = FULL');
}
