import { Database } from 'bun:sqlite';
import { closeSync, openSync } from 'node:fs';
import { OperatorError } from '../../../domain/error.ts';
import { syncPath } from '../../../system/files.ts';
import type { Report } from '../../../system/progress.ts';
import type { StoreContent } from '../../check.ts';
import { openForReading, refuseDamage } from '../connect.ts';
import { damaged, isFailedWrite, operatorError } from '../errors.ts';
import { checkOwnership } from '../schema.ts';
import { checkFile } from './check.ts';

/**
 * Copies a store, which services may keep using, into a new file, verifies and syncs it. The copy holds everything
 * acknowledged before the call. After a failure, an unfinished copy may be left.
 */
export async function copySqlite(name: string, copy: string, report: Report): Promise<StoreContent> {
  const { database } = openForReading(name);
  try {
    // Check first: a copy of a damaged store would look sound.
    report.step(`Checking ${name}`);
    refuseDamage(database, name);
    // Create the file first: SQLite accepts an empty file, but other users could read one that it creates.
    closeSync(openSync(copy, 'wx', 0o600));
    report.step(`Copying ${name}`);
    database.run('VACUUM INTO ?1', [copy]);
    const content = await verifyCopy(copy, name, report);
    syncPath(copy);
    return content;
  } catch (error) {
    // A failed write concerns the copy, because the store is only read.
    if (!isFailedWrite(error)) throw operatorError(error, name);
    throw new OperatorError(
      `The copy of ${name} cannot be written: the disk is full or failing.`,
      'Make room, or choose another disk.',
    );
  } finally {
    database.close();
  }
}

/** Reads a whole copy and returns its content. Damage is reported as damage of the origin. */
export async function verifyCopy(copy: string, origin: string, report: Report): Promise<StoreContent> {
  using database = new Database(copy, { readonly: true });
  checkOwnership(database, origin);
  report.step('Checking the copy');
  const [result] = database.query<{ integrity_check: string }, []>('PRAGMA integrity_check(1)').all();
  if (result?.integrity_check !== 'ok') throw damaged(origin);
  return await checkFile(database, origin, report);
}
