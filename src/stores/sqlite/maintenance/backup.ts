import { Database } from 'bun:sqlite';
import { closeSync, existsSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { OperatorError } from '../../../domain/error.ts';
import { partialForm, partialOf, removeLeftovers, syncPath } from '../../../system/files.ts';
import type { Report } from '../../../system/progress.ts';
import type { StoreContent } from '../../check.ts';
import { openForReading, refuseDamage } from '../connect.ts';
import { damaged, operatorError, isFailedWrite } from '../errors.ts';
import { isFileOfStore } from '../file.ts';
import { checkOwnership } from '../schema.ts';
import { checkFile } from './check.ts';

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
async function copyDatabase({ database, name, file, report, remedy }: CopyOptions): Promise<StoreContent> {
  const partial = partialOf(file);
  try {
    removeLeftovers(file, partialForm);
    // Create the file first: SQLite accepts an empty file, but other users could read one that it creates.
    closeSync(openSync(partial, 'wx', 0o600));
    report.step(`Copying ${name}`);
    database.run('VACUUM INTO ?1', [partial]);
    const content = await verifyCopy(partial, name, report);
    syncPath(partial);
    renameSync(partial, file);
    syncPath(dirname(resolve(file)));
    return content;
  } catch (error) {
    rmSync(partial, { force: true });
    // A failed write concerns the copy, because the store is only read.
    if (!isFailedWrite(error)) throw operatorError(error, name);
    throw new OperatorError(
      `The backup ${file} cannot be written: the disk is full or failing. The partial file was removed.`,
      remedy,
    );
  }
}

/** Reads a whole copy and returns its content. Damage is reported as damage of the origin. */
export async function verifyCopy(copy: string, origin: string, report: Report): Promise<StoreContent> {
  using database = new Database(copy, { readonly: true });
  checkOwnership(database, origin);
  report.step('Checking the copy');
  const [found] = database.query<{ integrity_check: string }, []>('PRAGMA integrity_check(1)').all();
  if (found?.integrity_check !== 'ok') throw damaged(origin);
  return await checkFile(database, origin, report);
}

/** Backs up a store into a new file while services use it. The backup holds everything acknowledged before the call. */
export async function backUpSqlite(name: string, file: string, report: Report): Promise<StoreContent> {
  if (isFileOfStore(name, file))
    throw new OperatorError(`${file} belongs to the store itself.`, 'Choose another name for the backup.');
  if (existsSync(file))
    throw new OperatorError(`${file} exists and is not overwritten.`, 'Choose another name.');
  const { database } = openForReading(name);
  try {
    // Check first: a copy of a damaged store would look sound.
    report.step(`Checking ${name}`);
    refuseDamage(database, name);
    return await copyDatabase({ database, name, file, report, remedy: 'Make room, or choose another disk.' });
  } catch (error) {
    throw operatorError(error, name);
  } finally {
    database.close();
  }
}
