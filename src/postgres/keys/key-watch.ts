import type { ApiKey } from '../../domain/api-key.ts';
import type { Database } from '../database.ts';
import { unavailable } from '../errors.ts';
import type { Connection } from '../session/connection.ts';
import type { SessionGroup, SessionOptions } from '../session/group.ts';

/** Keeps keys in memory for as long as they are known to be valid. */
export interface KeyWatch {
  /** Usable keys by hash. Only to be used while `isCurrent()`. */
  readonly kept: Map<string, ApiKey>;
  /** Changes with every change of the keys that this replica hears of. */
  readonly generation: number;
  /** True while a check that was sent less than a second ago confirms what is kept. */
  isCurrent(): boolean;
  /** Checks now; fails when the keys cannot be confirmed. */
  check(): Promise<void>;
  /** How long ago the last check was sent that still counts; infinite when there is none. */
  ageMs(): number;
  /** Tells every replica, this one at once, that the keys have changed. */
  announce(): Promise<void>;
  close(): Promise<void>;
}

/**
 * A change of the keys must take effect everywhere within one second. A notification brings it at once, but a silent
 * session may have been cut. So a replica with requests also asks for the version of the keys; one without asks nothing,
 * and checks before it trusts its keys again.
 */
const checkAfterMs = 400;
const confirmedForMs = 800;

const selectVersion = { name: 'select-key-version', text: 'SELECT version FROM key_changes' };
const notify = { name: 'notify-keys', text: "SELECT pg_notify('petstore_keys', '')" };
const timeouts = { lockMs: 1000, statementMs: 1000 };

/** Where sessions are shared none can listen; the checks then do the work alone. */
export function openKeyWatch(
  group: SessionGroup,
  database: Database,
  { canListen }: { canListen: boolean },
): KeyWatch {
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

  /** From now on each key is read from the database, or the response is `unavailable`. */
  const distrust = (): void => {
    checkedAt = -Infinity;
    seenVersion = undefined;
  };

  const session: SessionOptions = {
    timeouts,
    onNotification: drop,
    onLost: distrust,
    ...(canListen && { prepare: listen }),
  };

  const check = async (): Promise<void> => {
    try {
      if (!connection?.isOpen) {
        // The next session may be on another server, whose versions count other changes.
        distrust();
        connection = await group.open(session);
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

  const ageMs = (): number => performance.now() - checkedAt;

  const checkOnce = (): Promise<void> => {
    checking ??= group.run(check).finally(() => (checking = undefined));
    return checking;
  };

  return {
    kept,
    get generation() {
      return generation;
    },
    ageMs,
    isCurrent() {
      const age = ageMs();
      if (age > checkAfterMs && !isClosed) checkOnce().catch(() => {});
      return age < confirmedForMs && group.isConfirmed();
    },
    async check() {
      // A check under way may have been sent before the change that the caller wants to see.
      await checking?.catch(() => {});
      await checkOnce();
    },
    async announce() {
      drop();
      // The other replicas' checks find the change even without a notification.
      await database.read(notify).catch(() => {});
    },
    async close() {
      isClosed = true;
      await checking?.catch(() => {});
      await connection?.close();
    },
  };
}

async function listen(connection: Connection): Promise<void> {
  await connection.query('LISTEN petstore_keys');
}
