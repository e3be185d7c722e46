import type { Database } from 'bun:sqlite';

/** Tells, at the price of one look per turn of the event loop, whether memory still matches the file. */
export interface Freshness {
  /** Call before every read from memory: drops what is kept if the file has changed since. */
  check: () => void;
  /** Call when a write of this process was acknowledged: the next check looks again. */
  lookAgain: () => void;
}

/**
 * `PRAGMA data_version` moves when any other connection, in this process or another, has committed.
 * One look serves a whole turn of the event loop: every request handled in a turn had arrived
 * before the turn began, so none of them can know of a commit that the look has missed. Looking on
 * every request costs a third of the throughput.
 */
export function createFreshness(database: Database, drop: () => void): Freshness {
  const look = database.query<{ data_version: number }, []>('PRAGMA data_version');
  let seenVersion = look.get()?.data_version;
  let lookedThisTurn = false;
  const endTurn = () => {
    lookedThisTurn = false;
  };

  return {
    check() {
      if (lookedThisTurn) return;
      const version = look.get()?.data_version;
      // Only after the look has succeeded: a failed one must not vouch for what is in memory.
      lookedThisTurn = true;
      setImmediate(endTurn);
      if (version === seenVersion) return;
      seenVersion = version;
      drop();
    },
    lookAgain: endTurn,
  };
}
