import type { Database } from 'bun:sqlite';
import { mapWalIndex } from './wal-index.ts';

/** True when anybody has committed since the last time it was asked. */
export type HasChanged = () => boolean;

/** Tells whether what is kept in memory still matches the file. */
export interface Freshness {
  /** Call before every read from memory: drops what is kept if anybody has committed since. */
  check: () => void;
}

/**
 * Looks at every request. One look for a whole turn of the event loop would be enough if all its requests had arrived
 * before, but a connection that arrives during a turn can be served within it.
 */
export function createFreshness(hasChanged: HasChanged, drop: () => void): Freshness {
  return {
    check() {
      if (hasChanged()) drop();
    },
  };
}

export function watchCommits(database: Database, path: string): HasChanged {
  return watchWalIndex(path) ?? watchDataVersion(database);
}

/** Looks at the memory that SQLite's connections share. */
export function watchWalIndex(path: string): HasChanged | undefined {
  const index = mapWalIndex(path);
  if (!index) return undefined;
  let { changes, checksum } = index;
  return () => {
    // A commit that is half-way through writing the header is seen now and again: to drop twice does no harm.
    if (index.changes === changes && index.checksum === checksum) return false;
    ({ changes, checksum } = index);
    return true;
  };
}

/** Asks SQLite, for platforms whose shared memory we do not read. */
export function watchDataVersion(database: Database): HasChanged {
  const look = database.query<{ data_version: number }, []>('PRAGMA data_version');
  let seen = look.get()?.data_version;
  return () => {
    const version = look.get()?.data_version;
    if (version === seen) return false;
    seen = version;
    return true;
  };
}
