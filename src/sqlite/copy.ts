import { Database } from 'bun:sqlite';
import { closeSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { OperatorError } from '../domain/error.ts';
import type { Report } from '../system/progress.ts';
import { syncPath } from '../system/files.ts';
import { partialForm, partialOf, removeLeftovers } from '../system/leftovers.ts';
import { damaged, explain, isFailedWrite } from './errors.ts';
import { refuseDamagedRows, type StoreContent } from './schema/check-rows.ts';
import { checkOwnership } from './schema/migrate.ts';

interface CopyOptions {
  database: Database;
  /** The store's. */
  name: string;
  /** Where the copy goes. It replaces a file of that name. */
  file: string;
  report: Report;
  /** What to do about a full disk. */
  remedy: string;
}

/** Copies a store into one file, which gets its name only after it was read back whole and synced. */
export function copyDatabase({ database, name, file, report, remedy }: CopyOptions): StoreContent {
  const partial = partialOf(file);
  try {
    removeLeftovers(file, partialForm);
    // SQLite writes into an empty file that exists. One that it makes itself could be read by others.
    closeSync(openSync(partial, 'wx', 0o600));
    report.step(`Copying ${name}`);
    database.run('VACUUM INTO ?1', [partial]);
    const content = verifyCopy(partial, name, report);
    syncPath(partial);
    renameSync(partial, file);
    syncPath(dirname(resolve(file)));
    return content;
  } catch (error) {
    rmSync(partial, { force: true });
    // A failure to write is that of the copy: the store is only read.
    if (!isFailedWrite(error)) throw explain(error, name);
    throw new OperatorError(
      `The backup ${file} cannot be written: the disk is full or failing. What was written of it was removed.`,
      remedy,
    );
  }
}

/** Reads a copy whole and returns what it holds. Damage is reported as that of its origin. */
export function verifyCopy(copy: string, origin: string, report: Report): StoreContent {
  try {
    using database = new Database(copy, { readonly: true });
    checkOwnership(database, origin);
    report.step('Checking the copy');
    const [found] = database.query<{ integrity_check: string }, []>('PRAGMA integrity_check(1)').all();
    if (found?.integrity_check !== 'ok') throw damaged(origin);
    return refuseDamagedRows(database, origin, report);
  } catch (error) {
    throw explain(error, origin);
  }
}
