import type { Database } from 'bun:sqlite';
import { createClaimCheck, type SharedClaims } from './own-commits.ts';
import { mapWalIndex } from './wal/header.ts';

/** Knows when anybody has committed, this process or another. */
export interface CommitWatch {
  /** True when there was a commit since the last time it was asked. */
  hasChanged: () => boolean;
  /** Call after each that was true: whether these commits were our own writer's, and changed no keys. */
  isOwn: () => boolean;
  /** Whether it is seen during a read transaction, too. */
  seesDuringReads: boolean;
}

/** Tells whether what is kept in memory still matches the file. */
export interface Freshness {
  /** Call before every read from memory: drops what is kept if anybody has committed since. */
  check(): void;
  /** Call before every read from the file: it sees all commits up to now. */
  beginRead(): void;
  close(): void;
}

/**
 * Looks at every request. One look for a whole turn of the event loop would be enough if all its requests had arrived
 * before, but a connection that arrives during a turn can be served within it.
 *
 * The reads of a turn share one transaction for as long as nobody commits: to begin and end one takes SQLite 2 µs of
 * the 3 that it needs for an animal.
 */
export function createFreshness(
  database: Database,
  watch: CommitWatch,
  drop: (isOwn: boolean) => void,
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
    if (!watch.hasChanged()) return;
    drop(watch.isOwn());
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

export function watchCommits(database: Database, path: string, claims: SharedClaims): CommitWatch {
  return watchWalIndex(path, claims) ?? watchDataVersion(database);
}

/** Looks at the memory that SQLite's connections share. */
export function watchWalIndex(path: string, claims: SharedClaims): CommitWatch | undefined {
  const index = mapWalIndex(path);
  if (!index) return undefined;
  const isClaimed = createClaimCheck(claims);
  let { changes, checksum } = index;
  const hasChanged = (): boolean => {
    // A commit that is half-way through writing the header is seen now and again: to drop twice does no harm.
    if (index.changes === changes && index.checksum === checksum) return false;
    ({ changes, checksum } = index);
    return true;
  };
  return { hasChanged, isOwn: () => isClaimed({ changes, checksum }), seesDuringReads: true };
}

/** Asks SQLite, for platforms whose shared memory we do not read. */
export function watchDataVersion(database: Database): CommitWatch {
  const look = database.query<{ data_version: number }, []>('PRAGMA data_version');
  let seen = look.get()?.data_version;
  const hasChanged = (): boolean => {
    const version = look.get()?.data_version;
    if (version === seen) return false;
    seen = version;
    return true;
  };
  return { hasChanged, isOwn: () => false, seesDuringReads: false };
}
