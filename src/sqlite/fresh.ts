import type { Database } from 'bun:sqlite';

/** Tells whether what is kept in memory still matches the file. */
export interface Freshness {
  /** Call before every read from memory: drops what is kept if anybody else has committed since. */
  check: () => void;
}

/**
 * `PRAGMA data_version` moves when any other connection, in this process or another, has committed. One look serves
 * one request: its key and its page are read without a pause in between, and the runtime runs the microtasks
 * before it hands over the next request. One look for a whole turn of the event loop would be cheaper, but wrong: a
 * connection that arrives during a turn can be served within it. The look costs 2 µs of the 19 of a hot list. (To
 * read SQLite's shared memory instead would cost nothing, but to open that file and close it again drops the locks
 * that SQLite holds on it.)
 */
export function createFreshness(database: Database, drop: () => void): Freshness {
  const look = database.query<{ data_version: number }, []>('PRAGMA data_version');
  let seenVersion = look.get()?.data_version;
  let hasLooked = false;
  const endRequest = () => {
    hasLooked = false;
  };

  return {
    check() {
      if (hasLooked) return;
      const version = look.get()?.data_version;
      // Only after the look has succeeded: a failed one must not vouch for what is in memory.
      hasLooked = true;
      queueMicrotask(endRequest);
      if (version === seenVersion) return;
      seenVersion = version;
      drop();
    },
  };
}
