import { constants, Database } from 'bun:sqlite';
import { OperatorError } from '../../../domain/error.ts';
import { isBusy, isUnreadable } from '../errors.ts';
import type { StoreFile } from './find.ts';

/** How long a connection waits for another one's lock. */
const busyTimeoutMs = 5000;

/** Opens a connection for reading and writing. */
export function connect({ path }: StoreFile): Database {
  const database = new Database(path, { readwrite: true, create: false, strict: true });
  // Must come first, so that the statements below wait for another process's lock instead of failing.
  database.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
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

/** Opens another connection to an open store. It cannot write, so it never moves the log into the file. */
export function openReader({ path }: StoreFile): Database {
  const database = new Database(path, { readonly: true, strict: true });
  database.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
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
    }, waitAlone);
  } catch (error) {
    if (!isBusy(error)) throw error;
    throw new OperatorError(`${name} is in use.`, 'Stop its services first.');
  }
}

const waitAlone = { pauseMs: 20 };

/**
 * Retries until no other connection holds the lock, for connections without a busy timeout. SQLite's own wait sleeps up
 * to 100 ms between attempts, and a busy neighbour takes the lock again each time.
 */
export function whenFree<Result>(
  attempt: () => Result,
  { waitMs = busyTimeoutMs, pauseMs = 1 } = {},
): Result {
  const deadline = performance.now() + waitMs;
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
      // Random, so that waiting processes do not retry in step.
      Bun.sleepSync(pauseMs * (0.5 + Math.random()));
    }
  }
}
