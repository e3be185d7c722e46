import { constants, Database } from 'bun:sqlite';
import { OperatorError } from '../../domain/error.ts';
import { isBusy, isUnreadable } from '../errors.ts';
import type { StoreFile } from './find.ts';

/** How long a connection waits for another one's lock. */
const busyTimeoutMs = 5000;

/** Opens a connection that may write. */
export function connect({ path }: StoreFile): Database {
  const database = new Database(path, { readwrite: true, create: false, strict: true });
  // First, so that the statements below wait for another process's lock instead of failing.
  database.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  // SQLite would remove the side files with the last connection, and a start on a full disk could not make them again.
  database.fileControl(constants.SQLITE_FCNTL_PERSIST_WAL, 1);
  // A reader that held a snapshot for long has let the log grow; the next checkpoint cuts it to this size. With a
  // limit set, SQLite also empties the log that it leaves behind.
  database.run(`PRAGMA journal_size_limit = ${16 * 1024 * 1024}`);
  return database;
}

/** In WAL mode, only FULL syncs the log at every commit. SQLite forgets it with the connection. */
export function useWal(database: Database): void {
  const { journal_mode: mode } = database.query('PRAGMA journal_mode = WAL').get() as {
    journal_mode: string;
  };
  if (mode !== 'wal') throw new Error(`journal_mode is ${mode}`);
  database.run('PRAGMA synchronous = FULL');
}

/** Opens one more connection to an open store. It cannot write, and so never moves the log into the file. */
export function openReader({ path }: StoreFile): Database {
  const database = new Database(path, { readonly: true, strict: true });
  database.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  // It holds a lock from its first read on.
  database.query('PRAGMA schema_version').get();
  return database;
}

/**
 * Opens the only connection to a store: until it is closed, everybody else waits. BEGIN EXCLUSIVE by itself would succeed
 * beside a service that has the store open. What SQLite cannot read is not locked, and the first query on it fails.
 */
export function openAlone({ name, path }: StoreFile): Database {
  try {
    return whenFree(() => {
      // Anew each time: in this mode, one that waits keeps the lock of a reader, for which another one may wait.
      const database = new Database(path, { readwrite: true, create: false, strict: true });
      try {
        database.run('PRAGMA locking_mode = EXCLUSIVE');
        database.run('BEGIN EXCLUSIVE');
        // The lock stays. A commit would write the first page of an empty file.
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
 * Tries until no other connection holds the lock; for connections without a busy timeout. SQLite's own wait sleeps up to
 * 100 ms between two attempts, in which a busy neighbour takes the lock again and again.
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
      // Not in step with others that wait.
      Bun.sleepSync(pauseMs * (0.5 + Math.random()));
    }
  }
}
