import { Database } from 'bun:sqlite';
import { OperatorError } from '../../domain/error.ts';
import { createLastIdReader, raiseLastId } from '../schema/ids.ts';
import { checkOwnership, isWithoutSchema, newestVersion, readPragma } from '../schema/migrate.ts';
import { beginLog } from '../schema/stored-event.ts';

/** What a restored store takes over from the one that it replaces. */
export interface Remainder {
  /** Revoked or not. */
  keys: KeyState[];
  /** The largest ids ever used. */
  petId: bigint;
  orderId: bigint;
}

interface KeyState {
  hash: string;
  revokedAt: number | null;
  expiresAt: number | null;
}

export const nothingLeft: Remainder = { keys: [], petId: 0n, orderId: 0n };

export function readRemainder(database: Database, name: string): Remainder {
  checkOwnership(database, name);
  if (isWithoutSchema(database)) return nothingLeft;
  return {
    keys: readKeys(database),
    petId: createLastIdReader(database, 'pets')(),
    orderId: createLastIdReader(database, 'orders')(),
  };
}

function readKeys(database: Database): KeyState[] {
  return database
    .query<KeyState, []>('SELECT hash, revoked_at AS revokedAt, expires_at AS expiresAt FROM api_keys')
    .all();
}

/**
 * Revokes in the copy what the replaced store had revoked, and lets a rotated key expire as it did there: a key that
 * leaked must not come back with a backup. No pet or order gets the id of one that was there since.
 * False when the copy holds usable keys that the replaced store does not know.
 */
export function carryOver({ keys, petId, orderId }: Remainder, copy: string, origin: string): boolean {
  using database = new Database(copy, { readwrite: true, create: false });
  // The file of a store that was copied without its log may hold nothing yet.
  if (isWithoutSchema(database)) throw notBackup(origin);
  checkOwnership(database, origin);
  // Only the file itself gets the store's name, so nothing may be left in a log.
  database.run('PRAGMA journal_mode = DELETE');
  const known = new Map(keys.map((key) => [key.hash, key]));
  const usable = readKeys(database).filter(({ revokedAt }) => revokedAt === null);
  const change = database.query('UPDATE api_keys SET revoked_at = ?2, expires_at = ?3 WHERE hash = ?1');
  const changeAll = database.transaction(() => {
    for (const { hash, expiresAt } of usable) {
      const key = known.get(hash);
      if (key) change.run(hash, key.revokedAt, key.expiresAt ?? expiresAt);
    }
    raiseLastId(database, 'pets', petId);
    raiseLastId(database, 'orders', orderId);
    // An older store has no log yet.
    if (readPragma(database, 'user_version') === newestVersion) beginLog(database, Date.now());
  });
  changeAll();
  return usable.every(({ hash }) => known.has(hash));
}

export function notBackup(file: string): OperatorError {
  return new OperatorError(`${file} is not a backup.`, 'Name a file that petstore backup has made.');
}

export function refuseContent(database: Database, name: string): void {
  checkOwnership(database, name);
  if (isWithoutSchema(database)) return;
  const held = ['pets', 'orders'].find((table) => database.query(`SELECT 1 FROM ${table} LIMIT 1`).get());
  if (held === undefined) return;
  throw new OperatorError(`${name} holds ${held}.`, 'To replace them with the backup, add --force.');
}
