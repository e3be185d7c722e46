import { Database } from 'bun:sqlite';
import { existsSync, linkSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { OperatorError } from '../../domain/error.ts';
import { isBusy, isUnreadable } from '../errors.ts';
import type { StoreFile } from '../opening/store-file.ts';

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
  return new OperatorError(`${name} is in use.`, 'Stop its services first.');
}

/** A folder for the files of one restore, which others may remove: see {@link removeAbandoned}. */
export function makeScratchFolder(path: string, purpose: 'restoring' | 'locking'): string {
  return mkdtempSync(`${path}.${purpose}-`);
}

/**
 * Removes the scratch folders of restores that were killed. Call it under the lock. A restore that is still running
 * loses its folder, too: it cannot get the lock, and reports that the store is in use.
 */
export function removeAbandoned(path: string, own?: string): void {
  const start = `${basename(path)}.`;
  for (const name of readdirSync(dirname(path))) {
    const folder = join(dirname(path), name);
    const isScratch = name.startsWith(start) && scratchSuffix.test(name.slice(start.length));
    if (isScratch && folder !== own) removeScratch(folder);
  }
}

const scratchSuffix = /^(?:restoring|locking)-[A-Za-z0-9]{6}$/;

function removeScratch(folder: string): void {
  try {
    // An operator may have given something of their own such a name.
    const isOurs = readdirSync(folder).every((file) => file.startsWith('store.db'));
    if (isOurs) rmSync(folder, { recursive: true, force: true });
  } catch {
    // Not a folder, or its restore still writes to it. A later restore removes it.
  }
}

/**
 * Takes the lock through a second name of the file, beside which there is no log: SQLite would repair a damaged log and
 * move a sound one into the file, whereas a lock changes no byte. Undefined for a file that is no longer a database:
 * it cannot be locked, and nobody can use it.
 */
function lockStore({ name, path }: StoreFile): Database | undefined {
  const folder = makeScratchFolder(path, 'locking');
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
    throw isBusy(error) || !existsSync(folder) ? inUse(name) : error;
  } finally {
    // The lock is on the file, which stays open.
    rmSync(folder, { recursive: true, force: true });
  }
}
