import { constants, Database } from 'bun:sqlite';
import { isBusy } from '../errors.ts';
import { refuseReplaced, type OpenedStore } from './opened-store.ts';

/** How long a connection waits for another one's lock. */
const busyTimeoutMs = 5000;

/** Opens a connection that may write, the way both threads use it. */
export function connect(store: OpenedStore): Database {
  const database = new Database(store.path, { readwrite: true, create: false, strict: true });
  // First, so that the statements below wait for another process's lock instead of failing.
  database.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  // The last one to close would remove the side files, and a start on a full disk could not make them anew. So they
  // stay, the log emptied: SQLite does that where the size of the log is limited.
  database.fileControl(constants.SQLITE_FCNTL_PERSIST_WAL, 1);
  // A reader that held a snapshot for long has let the log grow; the next checkpoint cuts it to this size.
  database.run(`PRAGMA journal_size_limit = ${16 * 1024 * 1024}`);
  return database;
}

/**
 * Waits for whoever holds the lock, which may be a restore that puts another file into this place. SQLite finds a log by
 * the name of its file: it would take that of the new file for the log of the one that it has open.
 */
export function readWhenFree(database: Database, store: OpenedStore): void {
  database.run('PRAGMA busy_timeout = 0');
  whenFree(() => {
    refuseReplaced(store);
    database.query('PRAGMA schema_version').get();
  });
  refuseReplaced(store);
  database.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
}

const lockPollMs = 1;

/**
 * Tries until no other connection holds the lock; for connections that do not wait by themselves. SQLite's own wait
 * sleeps up to 100 ms between two attempts, in which a busy neighbour process takes the lock again and again.
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
