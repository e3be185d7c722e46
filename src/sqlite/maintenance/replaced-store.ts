import { Database } from 'bun:sqlite';
import { statSync } from 'node:fs';
import { OperatorError } from '../../domain/error.ts';
import { explain } from '../errors.ts';
import { checkOwnership } from '../migrate.ts';
import { readUnchanged } from '../opening/check-store.ts';
import { openStore } from '../opening/opened-store.ts';
import { findStoreFile, stateOf } from '../opening/store-file.ts';

interface KeyState {
  hash: string;
  revokedAt: number | null;
  expiresAt: number | null;
}

/** What a restore needs to know about the store that it replaces. */
interface ReplacedStore {
  /** Its API keys; none when they cannot be read. */
  keys: KeyState[];
  /** Differs when somebody has written to it since; undefined when there was no store. */
  state: string | undefined;
}

/** Reads the store without changing it. Unless the restore is forced, refuses one that holds pets or orders or is damaged. */
export function examineReplaced(name: string, isForced: boolean): ReplacedStore {
  const file = findStoreFile(name);
  const state = file && stateOf(file);
  if (!file || statSync(file.path).size === 0) return { keys: [], state };
  try {
    const keys = readUnchanged(openStore(file), (database) => {
      checkOwnership(database, name);
      if (!isForced) refuseContent(database, name);
      return readKeys(database);
    });
    return { keys, state };
  } catch (error) {
    if (isForced) return { keys: [], state };
    throw error;
  }
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
    database = new Database(copy, { readwrite: true, create: false });
    checkOwnership(database, origin);
    // Only the file itself gets the store's name, so nothing may be left in a log.
    database.run('PRAGMA journal_mode = DELETE');
    const change = database.query('UPDATE api_keys SET revoked_at = ?2, expires_at = ?3 WHERE hash = ?1');
    const usable = readKeys(database).filter(({ revokedAt }) => revokedAt === null);
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

/** All keys, revoked or not. */
function readKeys(database: Database): KeyState[] {
  if (!hasTable(database, 'api_keys')) return [];
  return database
    .query<KeyState, []>('SELECT hash, revoked_at AS revokedAt, expires_at AS expiresAt FROM api_keys')
    .all();
}

function refuseContent(database: Database, name: string): void {
  const held = ['pets', 'orders'].find(
    (table) => hasTable(database, table) && database.query(`SELECT 1 FROM ${table} LIMIT 1`).all().length > 0,
  );
  if (held === undefined) return;
  throw new OperatorError(`${name} holds ${held}.`, 'To replace them with the backup, add --force.');
}

function hasTable(database: Database, table: string): boolean {
  return database.query('SELECT 1 FROM sqlite_schema WHERE name = ?1').all(table).length > 0;
}
