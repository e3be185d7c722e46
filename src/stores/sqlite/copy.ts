import { Database } from 'bun:sqlite';
import { closeSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { OperatorError } from '../../domain/error.ts';
import type { Report } from '../../system/progress.ts';
import { syncPath } from '../../system/files.ts';
import { partialForm, partialOf, removeLeftovers } from '../../system/leftovers.ts';
import { damaged, explain, isFailedWrite } from './errors.ts';
import { refuseDamagedRows, type StoreContent } from './schema/check-rows.ts';
import { checkOwnership } from './schema/migrate.ts';

interface CopyOptions {
  database: Database;
  /** The store's name. */
  name: string;
  /** Where the copy goes. Replaces an existing file. */
  file: string;
  report: Report;
  /** What the operator should do if the disk is full. */
  remedy: string;
}

/** Copies a store into one file, which is renamed into place only after it has been verified and synced. */
export function copyDatabase({ database, name, file, report, remedy }: CopyOptions): StoreContent {
  const partial = partialOf(file);
  try {
    removeLeftovers(file, partialForm);
    // Create the file first: SQLite accepts an empty file, but other users could read one that it creates.
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
    // A failed write concerns the copy, because the store is only read.
    if (!isFailedWrite(error)) throw explain(error, name);
    throw new OperatorError(
      `The backup ${file} cannot be written: the disk is full or failing. The partial file was removed.`,
      remedy,
    );
  }
}

/** Reads a whole copy and returns its content. Damage is reported as damage of the origin. */
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
