import { Database } from 'bun:sqlite';
import { linkSync, mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { OperatorError } from '../../error.ts';
import { isBusy, isUnreadable } from '../errors.ts';
import type { StoreFile } from './store-file.ts';

/** Works on the files of a store while nobody else uses it; fails when somebody does. */
export function whileLocked<Result>(file: StoreFile, work: () => Result): Result {
  const lock = lockStore(file);
  try {
    return work();
  } finally {
    lock?.close();
  }
}

export function inUse(name: string): OperatorError {
  return new OperatorError(`${name} is in use. Stop its services first.`);
}

/**
 * The lock is taken through a second name of the file, beside which there is no log: SQLite would repair a damaged log,
 * and fold a sound one into the file, whereas locking changes no byte. Undefined for a file that is no database any
 * more: it cannot be locked, and nobody can use it.
 */
function lockStore({ name, path }: StoreFile): Database | undefined {
  const folder = mkdtempSync(join(dirname(path), '.petstore-lock-'));
  let database: Database | undefined;
  try {
    const link = join(folder, 'store.db');
    linkSync(path, link);
    database = new Database(link, { readwrite: true, create: false });
    database.run('PRAGMA locking_mode = EXCLUSIVE');
    database.run('BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database?.close();
    if (isUnreadable(error)) return undefined;
    throw isBusy(error) ? inUse(name) : error;
  } finally {
    // The lock is on the file, which stays open.
    rmSync(folder, { recursive: true, force: true });
  }
}
