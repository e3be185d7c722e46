import { unavailable } from '../../domain/error.ts';
import type { ApiKey } from '../../domain/api-key.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Sql } from '../sql.ts';

/** Keeps keys in memory as long as they are known to be valid. */
export interface KeyWatch {
  /** Usable keys by hash. Use them only while `isCurrent()`. */
  readonly kept: Map<string, ApiKey>;
  /** Grows whenever this replica learns of a change to the keys. */
  readonly generation: number;
  /** True while a check sent less than a second ago confirms the kept keys. */
  isCurrent(): boolean;
  /** Checks now; fails if the keys cannot be confirmed. */
  check(): Promise<void>;
  /** The age of the last valid check; infinite if there is none. */
  ageMs(): number;
  /** Forgets every key, because one of them has changed. */
  drop(): void;
}

/**
 * A change of the keys must take effect everywhere within one second, so a replica with requests polls the version of
 * the keys. An idle replica does not poll, and checks before it trusts its keys again.
 */
const checkAfterMs = 400;
const confirmedForMs = 800;

const selectVersion = { name: 'select-key-version', text: 'SELECT version FROM key_changes' };

export function createKeyWatch(sessions: Sessions, sql: Sql): KeyWatch {
  const kept = new Map<string, ApiKey>();
  let generation = 0;
  let last: { version: string; losses: number; sentAt: number } | undefined;
  let checking: Promise<void> | undefined;

  const drop = (): void => {
    kept.clear();
    generation += 1;
  };

  const check = async (): Promise<void> => {
    const [sentAt, losses] = [performance.now(), sessions.losses];
    const [row] = await sql.read<{ version: string }>(selectVersion);
    if (!row) throw unavailable(new Error('The table key_changes is empty.'));
    // After a loss, the next session may be on another server, whose versions are unrelated.
    if (row.version !== last?.version || losses !== last.losses) drop();
    last = { version: row.version, losses, sentAt };
  };

  const checkOnce = (): Promise<void> => {
    checking ??= check().finally(() => (checking = undefined));
    return checking;
  };

  const ageMs = (): number => (last?.losses === sessions.losses ? performance.now() - last.sentAt : Infinity);

  return {
    kept,
    get generation() {
      return generation;
    },
    drop,
    ageMs,
    isCurrent() {
      const age = ageMs();
      if (age > checkAfterMs) checkOnce().catch(() => {});
      return age < confirmedForMs;
    },
    async check() {
      // The running check may have been sent before the change that the caller wants to see.
      await checking?.catch(() => {});
      await checkOnce();
    },
  };
}
