import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from './session/connection.ts';

/**
 * Keeps the session of a write that got no response for as long as the server may still work on it: a commit may wait for
 * its standby for ever. Meanwhile its writer sends nothing, so a standby that hangs costs the server one session and not
 * one for every write that gives up.
 */
export interface UnresolvedWrite {
  keep(connection: Connection): void;
  /** False while a write is still under way; asks the server before it says so. */
  isResolved(): Promise<boolean> | true;
  close(): void;
}

type Backend = NonNullable<Connection['backend']>;

/** How long the next write waits for the server to say whether the earlier one is still under way. */
const checkMs = 250;
/** Behind a pgbouncer nobody can tell which process serves a session; then this long must do. */
const maxBlindMs = 60_000;

export function createUnresolvedWrite(isGone: (backend: Backend) => Promise<boolean>): UnresolvedWrite {
  let kept: { connection: Connection; isOver: Promise<void> } | undefined;
  let checking: Promise<void> | undefined;

  const check = async (connection: Connection): Promise<void> => {
    const { backend } = connection;
    // The connection may have been cut in silence, and its process with it.
    if (backend && (await isGone(backend).catch(() => false))) connection.destroy();
    checking = undefined;
  };

  return {
    keep(connection) {
      if (kept) return connection.destroy();
      const timer = connection.backend
        ? undefined
        : setTimeout(() => connection.destroy(), maxBlindMs).unref();
      const isOver = connection.settle().then(() => {
        clearTimeout(timer);
        connection.destroy();
        kept = undefined;
      });
      kept = { connection, isOver };
    },
    isResolved() {
      if (!kept) return true;
      checking ??= check(kept.connection);
      return Promise.race([kept.isOver, sleep(checkMs)]).then(() => kept === undefined);
    },
    close() {
      kept?.connection.destroy();
    },
  };
}
