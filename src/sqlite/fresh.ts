import type { Database } from 'bun:sqlite';
import type { StoreWatch } from './opening/store-watch.ts';
import { mapWalIndex } from './wal/header.ts';

/** Knows when anybody has committed, this process or another. */
export interface CommitWatch {
  /** True when there was a commit since the last time it was asked. */
  hasChanged: () => boolean;
  /** Whether it is seen during a read transaction, too. */
  seesDuringReads: boolean;
}

/** Tells whether what is kept in memory still matches the file. */
export interface Freshness {
  /** Call before every read from memory: drops what is kept if anybody has committed since. Fails while the store is moved. */
  check(): void;
  /** Call before every read from the file: it sees all commits up to now. */
  beginRead(): void;
  close(): void;
}

/**
 * Checks at every request. Once for a whole turn of the event loop would be enough if all its requests had arrived
 * before, but a connection that arrives during a turn can be served within it. The reads of a turn share one
 * transaction for as long as nobody commits, since beginning and ending one costs more than reading a pet.
 */
export function createFreshness(
  database: Database,
  watch: CommitWatch,
  store: Pick<StoreWatch, 'problem'>,
  drop: () => void,
): Freshness {
  const begin = database.query('BEGIN');
  const commit = database.query('COMMIT');
  let ending: NodeJS.Immediate | undefined;

  const endRead = (): void => {
    if (!ending) return;
    clearImmediate(ending);
    ending = undefined;
    // SQLite itself ends the transaction after some errors.
    if (database.inTransaction) commit.run();
  };

  const check = (): void => {
    const problem = store.problem();
    if (problem) throw problem;
    if (!watch.hasChanged()) return;
    drop();
    endRead();
  };

  return {
    check,
    beginRead() {
      check();
      if (ending || !watch.seesDuringReads) return;
      begin.run();
      ending = setImmediate(endRead);
    },
    close: endRead,
  };
}

/** The database must have been read: only then is it proven whose shared memory lies beside the file. */
export function watchCommits(database: Database, path: string): CommitWatch {
  return watchWalIndex(path) ?? watchDataVersion(database);
}

/** Reads the memory that SQLite's connections share. */
export function watchWalIndex(path: string): CommitWatch | undefined {
  const index = mapWalIndex(path);
  if (!index) return undefined;
  let { changes, checksum } = index;
  const hasChanged = (): boolean => {
    // A commit that is half-way through writing the header is seen now and again: to drop twice does no harm.
    if (index.changes === changes && index.checksum === checksum) return false;
    ({ changes, checksum } = index);
    return true;
  };
  return { hasChanged, seesDuringReads: true };
}

/** Asks SQLite, where its shared memory cannot be read. */
export function watchDataVersion(database: Database): CommitWatch {
  const look = database.query<{ data_version: number }, []>('PRAGMA data_version');
  let seen = look.get()?.data_version;
  const hasChanged = (): boolean => {
    const version = look.get()?.data_version;
    if (version === seen) return false;
    seen = version;
    return true;
  };
  return { hasChanged, seesDuringReads: false };
}
