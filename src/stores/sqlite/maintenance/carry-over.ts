import { Database } from 'bun:sqlite';
import type { LastIds } from '../../../domain/bulk/bulk-store.ts';
import { OperatorError } from '../../../domain/error.ts';
import { raiseLastIds, readLastIds } from '../schema/ids.ts';
import { checkOwnership, isWithoutSchema, newestVersion, readPragma } from '../schema/migrate.ts';
import { beginLog } from '../schema/stored-event.ts';

/** What a restored store inherits from the one it replaces. */
export interface Remainder {
  /** All keys, including revoked ones. */
  keys: KeyState[];
  lastIds: LastIds;
}

interface KeyState {
  hash: string;
  revokedAt: number | null;
  expiresAt: number | null;
}

export const nothingLeft: Remainder = { keys: [], lastIds: { pets: 0n, orders: 0n } };

/** Refuses a store that is not ours or, unless the restore is forced, holds pets or orders. */
export function readRemainder(database: Database, name: string, isForced: boolean): Remainder {
  checkOwnership(database, name);
  if (isWithoutSchema(database)) return nothingLeft;
  if (!isForced) refuseContent(database, name);
  return { keys: readKeys(database), lastIds: readLastIds(database) };
}

function refuseContent(database: Database, name: string): void {
  const held = ['pets', 'orders'].find((table) => database.query(`SELECT 1 FROM ${table} LIMIT 1`).get());
  if (held === undefined) return;
  throw new OperatorError(`${name} holds ${held}.`, 'To replace them with the backup, add --force.');
}

function readKeys(database: Database): KeyState[] {
  return database
    .query<KeyState, []>('SELECT hash, revoked_at AS revokedAt, expires_at AS expiresAt FROM api_keys')
    .all();
}

/**
 * Revokes in the copy every key that the replaced store had revoked, and copies the expiry of rotated keys: a leaked
 * key must not return with a backup. Ids used in the replaced store are not used again. Returns false if the copy has
 * usable keys that the replaced store does not know.
 */
export function carryOver({ keys, lastIds }: Remainder, copy: string, origin: string): boolean {
  using database = new Database(copy, { readwrite: true, create: false });
  // A store's file that was copied without its log may be empty.
  if (isWithoutSchema(database)) throw notBackup(origin);
  checkOwnership(database, origin);
  // Only the file itself is renamed to the store's name, so its log must be empty.
  database.run('PRAGMA journal_mode = DELETE');
  const known = new Map(keys.map((key) => [key.hash, key]));
  const usable = readKeys(database).filter(({ revokedAt }) => revokedAt === null);
  const change = database.query('UPDATE api_keys SET revoked_at = ?2, expires_at = ?3 WHERE hash = ?1');
  const changeAll = database.transaction(() => {
    for (const { hash, expiresAt } of usable) {
      const key = known.get(hash);
      if (key) change.run(hash, key.revokedAt, key.expiresAt ?? expiresAt);
    }
    raiseLastIds(database, lastIds);
    // Older schemas have no event log.
    if (readPragma(database, 'user_version') === newestVersion) beginLog(database, Date.now());
  });
  changeAll();
  return usable.every(({ hash }) => known.has(hash));
}

export function notBackup(file: string): OperatorError {
  return new OperatorError(`${file} is not a backup.`, 'Name a file that petstore backup has made.');
}
