import type { ApiKey } from '../api-key.ts';
import type { PostgresAddress } from './address.ts';
import { openConnection, type Connection } from './connection.ts';
import type { Database } from './database.ts';
import { wasUndone } from './errors.ts';

/** Keeps the keys in memory no longer than they are known to be true. */
export interface KeyWatch {
  /** Usable keys by hash. Only to be used while `isCurrent()`. */
  readonly kept: Map<string, ApiKey>;
  /** Moves with every change that is heard of. */
  readonly generation: number;
  /** True while a look at the database, sent less than a second ago, has vouched for what is kept. */
  isCurrent(): boolean;
  /** Tells every replica, this one at once, that the keys have changed. */
  announce(): Promise<void>;
  close(): Promise<void>;
}

/**
 * A change of the keys is to hold everywhere within one second. The notification brings it at once; the
 * poll brings it when the notification is lost, and the engine need not have notifications at all.
 */
const pollEveryMs = 250;
const vouchedForMs = 800;

const selectVersion = { name: 'select-key-version', text: 'SELECT version FROM key_changes' };
const notify = { name: 'notify-keys', text: "SELECT pg_notify('petstore_keys', '')" };
const timeouts = { lockMs: 1000, statementMs: 1000 };

export function openKeyWatch(address: PostgresAddress, database: Database): KeyWatch {
  const kept = new Map<string, ApiKey>();
  let generation = 0;
  let seenVersion: string | undefined;
  let vouchedUntil = -Infinity;
  let connection: Connection | undefined;
  let isClosed = false;

  const drop = (): void => {
    kept.clear();
    generation += 1;
  };

  const connect = async (): Promise<Connection> => {
    let opened: Connection | undefined;
    const onLost = (): void => {
      // One that never came into use has vouched for nothing.
      if (opened === connection) vouchedUntil = -Infinity;
    };
    opened = await openConnection({ address, timeouts, onNotification: drop, onLost });
    try {
      if (address.ownsSession) await listen(opened);
    } catch (error) {
      opened.destroy();
      throw error;
    }
    return opened;
  };

  const look = async (): Promise<void> => {
    try {
      if (!connection?.isOpen) connection = await connect();
      const sentAt = performance.now();
      const [row] = await connection.query<{ version: string }>(selectVersion);
      if (!row) throw new Error('The table key_changes is empty.');
      if (row.version !== seenVersion) drop();
      seenVersion = row.version;
      vouchedUntil = sentAt + vouchedForMs;
    } catch {
      // Nobody vouches for the keys now: each is read from the database, or the answer is `unavailable`.
      connection?.destroy();
      connection = undefined;
    }
  };

  let timer: Timer | undefined;
  let looking: Promise<void> = Promise.resolve();
  const watch = (): void => {
    looking = look().then(() => {
      if (!isClosed) timer = setTimeout(watch, pollEveryMs);
    });
  };
  watch();

  return {
    kept,
    get generation() {
      return generation;
    },
    isCurrent: () => performance.now() < vouchedUntil,
    async announce() {
      drop();
      // The poll of the others finds the change even if nobody can be told of it.
      await database.read(notify).catch(() => {});
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await looking;
      await connection?.close();
    },
  };
}

/** An engine without notifications says so, and the poll alone does the work. */
async function listen(connection: Connection): Promise<void> {
  try {
    await connection.query('LISTEN petstore_keys');
  } catch (error) {
    if (!wasUndone(error)) throw error;
  }
}
