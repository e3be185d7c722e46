import type { Database } from 'bun:sqlite';
import { openDatabase } from '../opening/connect.ts';
import { OperatorError } from '../../domain/error.ts';
import { explain } from '../errors.ts';
import { checkOwnership, isWithoutSchema } from '../schema/migrate.ts';

export interface KeyState {
  hash: string;
  revokedAt: number | null;
  expiresAt: number | null;
}

/** All keys of a store, revoked or not. */
export function readKeys(database: Database, name: string): KeyState[] {
  checkOwnership(database, name);
  if (isWithoutSchema(database)) return [];
  return database
    .query<KeyState, []>('SELECT hash, revoked_at AS revokedAt, expires_at AS expiresAt FROM api_keys')
    .all();
}

/**
 * Revokes in the copy what the replaced store had revoked, and lets a rotated key expire as it did there: a key that
 * leaked must not come back with a backup.
 * False when the copy holds usable keys that the replaced store does not know.
 */
export function keepRevocations(keys: KeyState[], copy: string, origin: string): boolean {
  const known = new Map(keys.map((key) => [key.hash, key]));
  let database: Database | undefined;
  try {
    database = openDatabase(copy, { readwrite: true, create: false });
    // The file of a store that was copied without its log may hold nothing yet.
    if (isWithoutSchema(database)) throw notBackup(origin);
    const usable = readKeys(database, origin).filter(({ revokedAt }) => revokedAt === null);
    // Only the file itself gets the store's name, so nothing may be left in a log.
    database.run('PRAGMA journal_mode = DELETE');
    const change = database.query('UPDATE api_keys SET revoked_at = ?2, expires_at = ?3 WHERE hash = ?1');
    for (const { hash, expiresAt } of usable) {
      const key = known.get(hash);
      if (key) change.run(hash, key.revokedAt, key.expiresAt ?? expiresAt);
    }
    return usable.every(({ hash }) => known.has(hash));
  } catch (error) {
    throw explain(error, origin);
  } finally {
    database?.close();
  }
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
