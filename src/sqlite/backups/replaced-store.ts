import type { Database } from 'bun:sqlite';
import { statSync } from 'node:fs';
import { OperatorError } from '../../error.ts';
import { readUnchanged } from '../opening/check-store.ts';
import { checkOwnership } from '../migrate.ts';
import { openStore } from '../opening/opened-store.ts';
import { findStoreFile, stateOf } from '../opening/store-file.ts';

export interface KeyState {
  hash: string;
  revokedAt: number | null;
}

/** What a restore needs to know of the store that it replaces. */
export interface ReplacedStore {
  /** Its API keys, as far as they can be read. */
  keys: KeyState[];
  /** Differs when somebody has written to it since; undefined when there was no store. */
  state: string | undefined;
}

/** Reads the store without changing it. Unless the restore is forced, refuses one that holds pets or is damaged. */
export function examineReplaced(name: string, isForced: boolean): ReplacedStore {
  const file = findStoreFile(name);
  const state = file && stateOf(file);
  if (!file || statSync(file.path).size === 0) return { keys: [], state };
  try {
    const keys = readUnchanged(openStore(file), (database) => {
      checkOwnership(database, name);
      if (!isForced) refusePets(database, name);
      return readKeys(database);
    });
    return { keys, state };
  } catch (error) {
    if (isForced) return { keys: [], state };
    throw error;
  }
}

/** All keys, revoked or not. */
export function readKeys(database: Database): KeyState[] {
  if (!hasTable(database, 'api_keys')) return [];
  return database.query<KeyState, []>('SELECT hash, revoked_at AS revokedAt FROM api_keys').all();
}

function refusePets(database: Database, name: string): void {
  if (!hasTable(database, 'pets') || database.query('SELECT 1 FROM pets LIMIT 1').all().length === 0) return;
  throw new OperatorError(`${name} holds pets. To replace them by the backup, add --force.`);
}

function hasTable(database: Database, table: string): boolean {
  return database.query('SELECT 1 FROM sqlite_schema WHERE name = ?1').all(table).length > 0;
}
