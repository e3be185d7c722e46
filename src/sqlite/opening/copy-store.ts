import type { Database } from 'bun:sqlite';
import { openDatabase } from './connect.ts';
import { closeSync, existsSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { OperatorError } from '../../domain/error.ts';
import { syncPath } from '../../system/files.ts';
import { partialForm, partialOf, removeLeftovers } from '../../system/leftovers.ts';
import { noReport, type Report } from '../../domain/progress.ts';
import { damaged, explain, isFailedWrite, noStore } from '../errors.ts';
import { checkOwnership, readPragma } from '../schema/migrate.ts';
import { refuseDamagedRows, type StoreContent } from './check-rows.ts';
import { refuseDamage } from './check-store.ts';
import { readUnchanged } from './read-only.ts';
import { findExisting, isFileOfStore, sideFiles, type StoreFile } from './store-file.ts';

/** Backs a store up into a new file while services go on using it. */
export function backUpSqlite(name: string, file: string, report: Report): StoreContent {
  if (isFileOfStore(name, file))
    throw new OperatorError(`${file} belongs to the store itself.`, 'Choose another name for the backup.');
  if (existsSync(file))
    throw new OperatorError(`${file} exists and is not overwritten.`, 'Choose another name.');
  const store = findExisting(name);
  if (!store) throw noStore(name);
  return copyStore(store, file, report, 'Make room, or choose another disk.');
}

/**
 * The copy holds everything that was acknowledged before the call. It gets its name only after it was read back whole
 * and synced, unless it is not wanted then. It replaces a file of that name. The remedy is for a full disk.
 */
function copyStore(
  store: StoreFile,
  file: string,
  report: Report,
  remedy: string,
  isWanted = (_copy: string): boolean => true,
): StoreContent {
  const { name } = store;
  const partial = partialOf(file);
  const discard = (): void => {
    for (const suffix of ['', ...sideFiles]) rmSync(`${partial}${suffix}`, { force: true });
  };
  try {
    removeLeftovers(file, partialForm);
    readUnchanged(store, (database) => {
      checkOwnership(database, name);
      // A copy of a damaged store, or of one with another store's log, would look sound.
      report.step(`Checking ${name}`);
      refuseDamage(database, name);
      // SQLite writes into an empty file that exists. One that it makes itself could be read by others.
      discard();
      closeSync(openSync(partial, 'wx', 0o600));
      report.step(`Copying ${name}`);
      copyInto(database, partial, file, remedy);
    });
    const content = verifyCopy(partial, name, report);
    if (isWanted(partial)) {
      syncPath(partial);
      renameSync(partial, file);
      syncPath(dirname(resolve(file)));
    } else {
      rmSync(partial);
    }
    return content;
  } catch (error) {
    discard();
    throw explain(error, name);
  }
}

/** Of a failure here, the disk of the backup is the reason more often than that of the store. */
function copyInto(database: Database, partial: string, file: string, remedy: string): void {
  try {
    database.run('VACUUM INTO ?1', [partial]);
  } catch (error) {
    if (!isFailedWrite(error)) throw error;
    throw new OperatorError(
      `The backup ${file} cannot be written: the disk is full or failing. What was written of it was removed.`,
      remedy,
    );
  }
}

/** Reads a copy whole and returns what it holds. Damage is reported as that of its origin. */
export function verifyCopy(copy: string, origin: string, report: Report): StoreContent {
  let database: Database | undefined;
  try {
    database = openDatabase(copy, { readonly: true });
    checkOwnership(database, origin);
    report.step('Checking the copy');
    const [found] = database.query<{ integrity_check: string }, []>('PRAGMA integrity_check(1)').all();
    if (found?.integrity_check !== 'ok') throw damaged(origin);
    return refuseDamagedRows(database, origin, report);
  } catch (error) {
    throw explain(error, origin);
  } finally {
    database?.close();
  }
}

/**
 * Copies a store that is about to be migrated, so that its operator can go back. Returns the copy's path. There is one
 * for each version: a start that fails again and again must not fill the disk. If another process has migrated the store
 * meanwhile, the copy that it made stays, and this returns undefined.
 */
export function keepOlder(store: StoreFile, version: number): string | undefined {
  const file = `${store.path}.schema-${version}`;
  const remedy = 'Make room, or make a backup elsewhere and run petstore migrate --no-copy.';
  let isKept = false;
  copyStore(store, file, noReport, remedy, (copy) => {
    using database = openDatabase(copy, { readonly: true });
    return (isKept = readPragma(database, 'user_version') === version);
  });
  return isKept ? file : undefined;
}
