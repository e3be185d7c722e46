import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from './session/connection.ts';

/**
 * Keeps the session of a write that got no response for as long as the server may still work on it: a commit may wait for
 * its standby for ever. Meanwhile no other write is sent, so a standby that hangs costs the server one session and not
 * one for every write that gives up.
 */
export interface UnresolvedWrite {
  /** Keeps one session at a time: of two, one that may be ended is ended. */
  keep(connection: Connection, mayBeEnded: boolean): void;
  /** False while a write is still under way; asks the server before it says so. */
  isResolved(): Promise<boolean> | true;
  close(): void;
}

type Backend = NonNullable<Connection['backend']>;

/** What the server can be asked about the process of a session. */
export interface Backends {
  isGone(backend: Backend): Promise<boolean>;
  /** Ends it. A commit that waits for its standby becomes visible without it. */
  end(backend: Backend): Promise<unknown>;
}

/** How long the next write waits for the server to say whether the earlier one is still under way. */
const checkMs = 250;
/** Behind a pgbouncer nobody can tell which process serves a session; then this long must do. */
const maxBlindMs = 60_000;

interface Kept {
  connection: Connection;
  mayBeEnded: boolean;
  isOver: Promise<void>;
  timer?: Timer;
}

export function createUnresolvedWrite(backends: Backends): UnresolvedWrite {
  let kept: Kept | undefined;
  let checking: Promise<void> | undefined;

  const check = async (connection: Connection): Promise<void> => {
    const { backend } = connection;
    // The connection may have been cut in silence, and its process with it.
    if (backend && (await backends.isGone(backend).catch(() => false))) connection.destroy();
    checking = undefined;
  };

  /** Closing the connection is not enough: the server notices that only when it responds. */
  const dismiss = async (connection: Connection, mayBeEnded: boolean): Promise<void> => {
    const { backend } = connection;
    if (mayBeEnded && backend) await backends.end(backend).catch(() => {});
    connection.destroy();
  };

  return {
    keep(connection, mayBeEnded) {
      if (kept && !kept.mayBeEnded) return void dismiss(connection, mayBeEnded);
      if (kept) void dismiss(kept.connection, kept.mayBeEnded);
      const isOver = connection.settle().then(() => {
        clearTimeout(own.timer);
        connection.destroy();
        if (kept === own) kept = undefined;
      });
      const own: Kept = { connection, mayBeEnded, isOver };
      if (!connection.backend) own.timer = setTimeout(() => connection.destroy(), maxBlindMs).unref();
      kept = own;
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
