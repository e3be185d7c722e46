import type { ApiKey } from '../api-key.ts';
import type { Database } from './database.ts';
import { unavailable, wasUndone } from './errors.ts';
import type { Connection } from './session/connection.ts';
import type { SessionGroup } from './session/group.ts';

/** Keeps the keys in memory no longer than they are known to be true. */
export interface KeyWatch {
  /** Usable keys by hash. Only to be used while `isCurrent()`. */
  readonly kept: Map<string, ApiKey>;
  /** Moves with every change that is heard of. */
  readonly generation: number;
  /** True while a check of the database, sent less than a second ago, has vouched for what is kept. */
  isCurrent(): boolean;
  /** Checks now; fails when nobody can vouch for the keys. */
  check(): Promise<void>;
  /** Tells every replica, this one at once, that the keys have changed. */
  announce(): Promise<void>;
  close(): Promise<void>;
}

export interface KeyWatchParts {
  group: SessionGroup;
  database: Database;
  /** False where a session cannot be told anything, because it is shared. */
  canListen: boolean;
  /** False where nobody can be told anything: the checks alone do the work. */
  canNotify: boolean;
}

/**
 * A change of the keys is to hold everywhere within one second. The notification brings it at once, but a session on
 * which nothing arrives may as well be cut. So one that vouches for the keys is asked for their version, as long as
 * there are requests to vouch for: a replica without requests asks nothing, and checks before it trusts again.
 */
const checkAfterMs = 400;
const vouchedForMs = 800;

const selectVersion = { name: 'select-key-version', text: 'SELECT version FROM key_changes' };
const notify = { name: 'notify-keys', text: "SELECT pg_notify('petstore_keys', '')" };
const timeouts = { lockMs: 1000, statementMs: 1000 };

export function openKeyWatch({ group, database, canListen, canNotify }: KeyWatchParts): KeyWatch {
  const kept = new Map<string, ApiKey>();
  let generation = 0;
  let seenVersion: string | undefined;
  let checkedAt = -Infinity;
  let connection: Connection | undefined;
  let checking: Promise<void> | undefined;
  let isClosed = false;

  const drop = (): void => {
    kept.clear();
    generation += 1;
  };

  /** Nobody vouches for the keys now: each is read from the database, or the response is `unavailable`. */
  const distrust = (): void => {
    checkedAt = -Infinity;
    seenVersion = undefined;
  };

  const connect = async (): Promise<Connection> => {
    let opened: Connection | undefined;
    const onLost = (): void => {
      // One that never came into use has vouched for nothing.
      if (opened === connection) distrust();
    };
    opened = await group.open({ timeouts, onNotification: drop, onLost });
    try {
      if (canListen && canNotify) await listen(opened);
    } catch (error) {
      opened.destroy();
      throw error;
    }
    return opened;
  };

  const check = async (): Promise<void> => {
    try {
      await group.confirm();
      if (!connection?.isOpen) {
        // Another session may be one of another server, whose versions count other changes.
        distrust();
        connection = await connect();
      }
      const sentAt = performance.now();
      const [row] = await connection.query<{ version: string }>(selectVersion);
      if (!row) throw new Error('The table key_changes is empty.');
      if (row.version !== seenVersion) drop();
      seenVersion = row.version;
      checkedAt = connection.isOpen ? sentAt : -Infinity;
    } catch (error) {
      connection?.destroy();
      connection = undefined;
      throw unavailable(error);
    }
  };

  const checkOnce = (): Promise<void> => {
    checking ??= check().finally(() => (checking = undefined));
    return checking;
  };

  return {
    kept,
    get generation() {
      return generation;
    },
    isCurrent() {
      const age = performance.now() - checkedAt;
      if (age > checkAfterMs && !isClosed) checkOnce().catch(() => {});
      return age < vouchedForMs && group.isConfirmed();
    },
    async check() {
      // One that is on its way may have been sent before what the caller wants to see.
      await checking?.catch(() => {});
      await checkOnce();
    },
    async announce() {
      drop();
      // The check of the others finds the change even if nobody can be told of it.
      if (canNotify) await database.read(notify).catch(() => {});
    },
    async close() {
      isClosed = true;
      await checking?.catch(() => {});
      await connection?.close();
    },
  };
}

/** An engine without notifications says so, and the checks alone do the work. */
async function listen(connection: Connection): Promise<void> {
  try {
    await connection.query('LISTEN petstore_keys');
  } catch (error) {
    if (!wasUndone(error)) throw error;
  }
}
