import type { Database } from 'bun:sqlite';
import { endianness } from 'node:os';
import { mapFile } from '../system/map-file.ts';
import { translateError } from './errors.ts';
import type { StoreWatch } from './opening/store-watch.ts';

/** True once for each change: whether anybody, in this process or another, has committed since the last call. */
export type TakeChange = () => boolean;

/** Keeps reads, and what is kept in memory, as new as the file. Its methods fail with `unavailable` while the store is moved. */
export interface Freshness {
  /** Changes whenever anybody commits. */
  version(): number;
  /** Runs a query, which sees every commit up to now. */
  read<Result>(query: () => Result): Result;
}

/**
 * Checks for commits at every call, never once per turn of the event loop: a connection that arrives during a turn can
 * be served within it.
 */
export function createFreshness(takeChange: TakeChange, { problem }: Pick<StoreWatch, 'problem'>): Freshness {
  let version = 0;
  const read = <Result>(query: () => Result): Result => {
    const found = problem();
    if (found) throw found;
    try {
      return query();
    } catch (error) {
      throw translateError(error);
    }
  };
  const countChanges = (): number => (takeChange() ? ++version : version);
  return { version: () => read(countChanges), read };
}

/** The database must have been read: only then can the shared memory be proven to be SQLite's. */
export function watchCommits(database: Database, path: string): TakeChange {
  return watchWalIndex(path) ?? watchDataVersion(database);
}

const headerBytes = 48;
/** Offsets in 32-bit words: the count of commits, and the header's own checksum, which covers the state of the log. */
const [changesAt, checksumAt] = [2, 10];

/**
 * Maps the header of SQLite's shared memory, which every commit of any process rewrites. Reading it then costs nothing.
 * Its format is fixed: https://sqlite.org/walformat.html.
 */
export function watchWalIndex(path: string): TakeChange | undefined {
  const bytes = endianness() === 'LE' ? mapFile(`${path}-shm`, headerBytes) : undefined;
  if (!bytes) return undefined;
  const words = new Uint32Array(bytes);
  let changes = words[changesAt];
  let checksum = words[checksumAt];
  return () => {
    // A commit that is still writing the header may be noticed twice, which is harmless.
    if (words[changesAt] === changes && words[checksumAt] === checksum) return false;
    changes = words[changesAt];
    checksum = words[checksumAt];
    return true;
  };
}

/** Asks SQLite, where its shared memory cannot be read. */
export function watchDataVersion(database: Database): TakeChange {
  const select = database.query<{ data_version: number }, []>('PRAGMA data_version');
  let seen = select.get()?.data_version;
  return () => {
    const version = select.get()?.data_version;
    if (version === seen) return false;
    seen = version;
    return true;
  };
}
