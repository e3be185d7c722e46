import { Database } from 'bun:sqlite';
import { linkSync, mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { OperatorError } from '../../error.ts';
import { isBusy } from '../errors.ts';
import type { StoreFile } from './store-file.ts';

/**
 * Keeps everybody else away from a store; fails when somebody uses it. The lock is taken through a second name of the
 * file, beside which there is no log: SQLite would repair a damaged one, or fold a sound one into the file, whereas
 * locking changes no byte. A file that is no database any more cannot be locked, and nobody can use it.
 */
export function lockStore({ name, path }: StoreFile): Disposable {
  const folder = mkdtempSync(join(dirname(path), '.petstore-lock-'));
  let database: Database | undefined;
  try {
    const link = join(folder, 'store.db');
    linkSync(path, link);
    database = new Database(link, { readwrite: true, create: false });
    database.run('PRAGMA locking_mode = EXCLUSIVE');
    database.run('BEGIN EXCLUSIVE');
  } catch (error) {
    if (!isUnreadable(error)) database?.close();
    if (isBusy(error)) throw inUse(name);
    if (!isUnreadable(error)) throw error;
  } finally {
    // The lock is on the file, which stays open.
    rmSync(folder, { recursive: true, force: true });
  }
  return { [Symbol.dispose]: () => database?.close() };
}

export function inUse(name: string): OperatorError {
  return new OperatorError(`${name} is in use. Stop its services first.`);
}

function isUnreadable(error: unknown): boolean {
  return /^SQLITE_(?:NOTADB|CORRUPT)/.test((error as { code?: string }).code ?? '');
}
