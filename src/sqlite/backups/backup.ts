import { closeSync, existsSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { OperatorError } from '../../error.ts';
import type { Report } from '../../progress.ts';
import { readUnchanged, refuseDamage } from '../opening/check-store.ts';
import { explain } from '../errors.ts';
import { syncPath } from '../opening/folders.ts';
import { checkOwnership } from '../migrate.ts';
import { openExisting } from '../opening/opened-store.ts';
import { isFileOfStore } from '../opening/store-file.ts';
import { verifyCopy, type CopySummary } from './verify-copy.ts';

/**
 * Copies a store into one file, consistent and verified, while services go on using it. Whatever was acknowledged
 * before the call is in the copy.
 */
export function backUpSqlite(name: string, file: string, report: Report): CopySummary {
  if (isFileOfStore(name, file))
    throw new OperatorError(`${file} belongs to the store itself. Choose another name for the backup.`);
  if (existsSync(file))
    throw new OperatorError(`${file} exists and is not written over. Choose another name.`);
  const store = openExisting(name);
  if (!store) throw new OperatorError(`There is no store at ${name}. Name it with --database-url.`);
  // Its own: another backup may be under way.
  const partial = `${file}.${process.pid}.partial`;
  try {
    readUnchanged(store, (database) => {
      checkOwnership(database, name);
      // A copy of a damaged store, or of one with another store's log, would look sound.
      report.step(`Checking ${name}`);
      refuseDamage(database, name);
      makePrivate(partial, file);
      report.step(`Copying ${name}`);
      database.run('VACUUM INTO ?1', [partial]);
    });
    const summary = verifyCopy(partial, name, report);
    syncPath(partial);
    // Only a copy that is whole and on disk gets the name that was asked for.
    renameSync(partial, file);
    syncPath(dirname(resolve(file)));
    return summary;
  } catch (error) {
    rmSync(partial, { force: true });
    throw explain(error, name);
  }
}

/** SQLite writes into an empty file, and would let others read one that it made itself. */
function makePrivate(partial: string, file: string): void {
  try {
    rmSync(partial, { force: true });
    closeSync(openSync(partial, 'wx', 0o600));
  } catch (error) {
    throw explain(error, file);
  }
}
