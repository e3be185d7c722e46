import { constants, Database, SQLiteError } from 'bun:sqlite';
import { PetstoreError } from '../error.ts';

/** How long a connection waits for another one's lock. */
export const busyTimeoutMs = 5000;

/** Opens an existing database file the way both threads use it. */
export function connect(path: string): Database {
  const database = new Database(path, { readwrite: true, create: false, strict: true });
  // First, so that the statements below wait for another process's lock instead of failing.
  database.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  // The last one to close would remove the side files, and a start on a full disk could not make them anew. So they
  // stay, the log emptied: SQLite does that where the size of the log is limited.
  database.fileControl(constants.SQLITE_FCNTL_PERSIST_WAL, 1);
  // A reader that held a snapshot for long has let the log grow; the next checkpoint cuts it to this size.
  database.run(`PRAGMA journal_size_limit = ${16 * 1024 * 1024}`);
  return database;
}

const lockPollMs = 1;

/**
 * Tries until no other connection holds the lock; for connections that do not wait by themselves. SQLite's own wait
 * sleeps up to 100 ms between two looks, so a busy neighbour process would get the lock again and again: with two
 * workers the slowest 1 % of creates waited 390 ms instead of 15.
 */
export function whenFree(attempt: () => void): void {
  const deadline = performance.now() + busyTimeoutMs;
  for (;;) {
    try {
      attempt();
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
      Bun.sleepSync(lockPollMs);
    }
  }
}

/** Whether somebody else holds the lock. */
export function isBusy(error: unknown): boolean {
  return error instanceof SQLiteError && /^SQLITE_(?:BUSY|LOCKED|PROTOCOL)/.test(error.code ?? '');
}

/**
 * Sets what makes a commit durable: in WAL mode, only FULL syncs the log at every commit. SQLite
 * keeps the journal mode in the file, but forgets `synchronous` with the connection.
 */
export function makeDurable(database: Database): void {
  const { journal_mode: mode } = database.query('PRAGMA journal_mode = WAL').get() as {
    journal_mode: string;
  };
  if (mode !== 'wal') throw new Error(`journal_mode is ${mode}`);
  database.run('PRAGMA synchronous = FULL');
}

const unavailableCodes = /^SQLITE_(?:FULL|IOERR|BUSY|LOCKED|READONLY|CANTOPEN|CORRUPT|NOTADB|PROTOCOL|NOMEM)/;

/** The error as callers get it: a store that cannot be used is `unavailable`, anything else is a bug. */
export function translateError(error: unknown): unknown {
  if (!(error instanceof SQLiteError) || !unavailableCodes.test(error.code ?? '')) return error;
  return new PetstoreError('unavailable', 'The store cannot be used at the moment. Try again.', {
    cause: error,
  });
}
