import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from './connection.ts';
import type { Backend } from './server.ts';

/**
 * Keeps the session of a write that was not responded to, as long as the server may still be at work on it: a commit may
 * wait for its standby for ever. While one is kept no other write is sent, so that a standby that hangs costs the server
 * one session and not one for every write that gives up.
 */
export interface Limbo {
  /** Keeps one at a time: of two, one that may be ended is ended. */
  keep(connection: Connection, mayBeEnded: boolean): void;
  /** False when a write is still at work; asks the server before it says so. */
  isEmpty(): Promise<boolean> | true;
  close(): void;
}

/** What the server can be asked about the process of a session. */
export interface Backends {
  isGone(backend: Backend): Promise<boolean>;
  /** Ends it. A commit that waits for its standby becomes visible without it. */
  end(backend: Backend): Promise<unknown>;
}

/** How long a write waits for the server to say whether an earlier one is still at work. */
const lookMs = 250;
/** Behind a pgbouncer nobody can tell which process serves a session; then this long must do. */
const maxBlindMs = 60_000;

interface Kept {
  connection: Connection;
  mayBeEnded: boolean;
  isOver: Promise<void>;
  patience?: Timer;
}

export function createLimbo(backends: Backends): Limbo {
  let kept: Kept | undefined;
  let looking: Promise<void> | undefined;

  const look = async (connection: Connection): Promise<void> => {
    const { backend } = connection;
    // A connection may have been cut in silence, and its process gone with what it did.
    if (backend && (await backends.isGone(backend).catch(() => false))) connection.destroy();
    looking = undefined;
  };

  /** To close the connection is not enough: the server notices that when it responds. */
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
        clearTimeout(own.patience);
        connection.destroy();
        if (kept === own) kept = undefined;
      });
      const own: Kept = { connection, mayBeEnded, isOver };
      if (!connection.backend) own.patience = setTimeout(() => connection.destroy(), maxBlindMs).unref();
      kept = own;
    },
    isEmpty() {
      const last = kept;
      if (!last) return true;
      looking ??= look(last.connection);
      return Promise.race([last.isOver, sleep(lookMs)]).then(() => kept === undefined);
    },
    close() {
      kept?.connection.destroy();
    },
  };
}
