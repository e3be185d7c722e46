import type { Database } from 'bun:sqlite';
import { existsSync, linkSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { removeLeftovers } from '../../system/leftovers.ts';
import { isBusy } from '../errors.ts';
import { OperatorError } from '../../domain/error.ts';
import { openDatabase, refuseReplaced, whenFree } from './connect.ts';
import type { StoreFile } from './store-file.ts';

/**
 * Opens a store and its log under SQLite's exclusive lock, which nobody gets while a service has the store open. Fails
 * at once when somebody has. Until it is closed, everybody else waits.
 *
 * No byte changes. SQLite gets second names of both files, which are gone by the time it closes them: it takes such a
 * file for moved, and then neither moves the log into it nor removes the log. The index of the log stays in the memory
 * of this process.
 */
export function openAlone(store: StoreFile): Database {
  const { path } = store;
  const prefix = `${path}.locking-`;
  removeLeftovers(prefix, '[A-Za-z0-9]{6}');
  const folder = mkdtempSync(prefix);
  const removeLinks = (): void => rmSync(folder, { recursive: true, force: true });
  let database: Database | undefined;
  try {
    const link = join(folder, 'store.db');
    linkSync(path, link);
    if (existsSync(`${path}-wal`)) linkSync(`${path}-wal`, `${link}-wal`);
    database = openDatabase(link, { readwrite: true, create: false, strict: true });
    database.run('PRAGMA locking_mode = EXCLUSIVE');
    database.run('BEGIN EXCLUSIVE');
    // The lock stays. A commit would write the first page of an empty file.
    database.run('ROLLBACK');
    removeLinks();
    refuseReplaced(store);
    return database;
  } catch (error) {
    removeLinks();
    database?.close();
    throw error;
  }
}

/**
 * For a store that lacks its log or its shared memory, which a service that has it open may have lost. Another command
 * may have the store for itself for a moment; a service keeps it.
 */
export function whenAlone<Result>({ name }: StoreFile, attempt: () => Result, waitMs?: number): Result {
  try {
    return whenFree(attempt, waitMs);
  } catch (error) {
    if (!isBusy(error)) throw error;
    throw new OperatorError(
      `${name} is in use, and its log or its shared memory is missing.`,
      'Stop its services first, or wait for the restore, and run the same command again.',
    );
  }
}

/**
 * SQLite makes a side file that is missing. A service that has lost its own would not notice, so unless both are there,
 * nobody may have the store open. A service that starts at the same time makes them.
 */
export function refuseLost(store: StoreFile, waitMs?: number): void {
  const isWhole = (): boolean => ['-wal', '-shm'].every((suffix) => existsSync(`${store.path}${suffix}`));
  const attempt = (): void => {
    if (!isWhole() && statSync(store.path).size > 0) openAlone(store).close();
  };
  whenAlone(store, attempt, waitMs);
}
