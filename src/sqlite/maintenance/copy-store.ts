import { Database } from 'bun:sqlite';
import { closeSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { OperatorError } from '../../domain/error.ts';
import type { Report } from '../../domain/progress.ts';
import { damaged, explain, isFailedWrite } from '../errors.ts';
import { checkOwnership } from '../migrate.ts';
import { refuseDamagedRows, type StoreContent } from '../opening/check-rows.ts';
import { readUnchanged, refuseDamage } from '../opening/check-store.ts';
import { syncPath, type StoreFile } from '../opening/store-file.ts';

interface CopyOptions {
  /** What to do when the disk is full. */
  remedy?: string;
  /** Whether a verified copy gets its name; otherwise it is removed. */
  isWanted?: (copy: string) => boolean;
}

/**
 * Copies a store into one file while services go on using it. The copy holds everything that was acknowledged before the
 * call, and gets its name only after it was read back whole and synced. It replaces a file of that name.
 */
export function copyStore(
  store: StoreFile,
  file: string,
  report: Report,
  { remedy = 'Make room, or choose another disk.', isWanted = () => true }: CopyOptions = {},
): StoreContent {
  const { name } = store;
  // The process id keeps it apart from another copy under way.
  const partial = `${file}.${process.pid}.partial`;
  try {
    readUnchanged(store, (database) => {
      checkOwnership(database, name);
      // A copy of a damaged store, or of one with another store's log, would look sound.
      report.step(`Checking ${name}`);
      refuseDamage(database, name);
      // SQLite writes into an empty file that exists. One that it makes itself could be read by others.
      rmSync(partial, { force: true });
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
    rmSync(partial, { force: true });
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
    database = new Database(copy, { readonly: true });
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
