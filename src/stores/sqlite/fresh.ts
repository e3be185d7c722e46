import type { Database } from 'bun:sqlite';
import { mapFile } from '../../system/map-file.ts';
import { callerError } from './errors.ts';
import type { StoreWatch } from './file.ts';

/** Notices commits by this process and others. */
export interface CommitWatch {
  /** Whether there was a commit since the last call. */
  takeChange: () => boolean;
  /** Whether it also notices commits during a read transaction. */
  seesDuringReads: boolean;
}

/** Keeps reads and caches as new as the file. Its methods fail with `unavailable` once the store is moved. */
export interface Freshness {
  /** Changes with every commit by any process. */
  version: () => number;
  /** Runs a query that sees every commit made so far. */
  read<Result>(query: () => Result): Result;
  close(): void;
}

/**
 * Checks for commits at every call, not once per turn of the event loop, because a connection that arrives during a
 * turn can be served within it. The reads of a turn share one transaction until the next commit: starting and ending
 * one costs more than reading a pet.
 */
export function createFreshness(
  database: Database,
  commits: CommitWatch,
  store: Pick<StoreWatch, 'problem'>,
): Freshness {
  const begin = database.query('BEGIN');
  const commit = database.query('COMMIT');
  let version = 0;
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
    if (!commits.takeChange()) return;
    version += 1;
    endRead();
  };

  return {
    version() {
      try {
        check();
        return version;
      } catch (error) {
        throw callerError(error);
      }
    },
    read(query) {
      try {
        check();
        if (!ending && commits.seesDuringReads) {
          begin.run();
          ending = setImmediate(endRead);
        }
        return query();
      } catch (error) {
        throw callerError(error);
      }
    },
    close: endRead,
  };
}

/** Call it after the first read, which creates the shared memory. */
export function watchCommits(database: Database, path: string): CommitWatch {
  return watchWalIndex(path) ?? watchDataVersion(database);
}

const headerBytes = 48;
/** Offsets in 32-bit words of the commit counter and the header's checksum, which covers the state of the log. */
const [changesAt, checksumAt] = [2, 10];

/**
 * Maps the header of SQLite's shared memory, which every commit by any process rewrites, so that a check is nearly
 * free. The format is fixed: https://sqlite.org/walformat.html.
 */
export function watchWalIndex(path: string): CommitWatch | undefined {
  const bytes = mapFile(`${path}-shm`, headerBytes);
  if (!bytes) return undefined;
  const words = new Uint32Array(bytes);
  let changes = words[changesAt];
  let checksum = words[checksumAt];
  const takeChange = (): boolean => {
    // A commit that is still writing the header may be noticed twice, which is harmless.
    if (words[changesAt] === changes && words[checksumAt] === checksum) return false;
    changes = words[changesAt];
    checksum = words[checksumAt];
    return true;
  };
  return { takeChange, seesDuringReads: true };
}

/** Asks SQLite instead, if its shared memory cannot be read. */
export function watchDataVersion(database: Database): CommitWatch {
  const select = database.query<{ data_version: number }, []>('PRAGMA data_version');
  let seen = select.get()?.data_version;
  const takeChange = (): boolean => {
    const version = select.get()?.data_version;
    if (version === seen) return false;
    seen = version;
    return true;
  };
  return { takeChange, seesDuringReads: false };
}
