import { Database, SQLiteError } from 'bun:sqlite';
import { chmodSync, copyFileSync, existsSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { OperatorError } from '../error.ts';
import { connect } from './connect.ts';
import { checkOwnership } from './migrate.ts';
import { connectToSound, damaged, explain, prepareFolder, syncPath } from './file.ts';

/** What a verified copy holds. */
export interface BackupSummary {
  petCount: number;
}

/**
 * Copies a store into one file, consistent and verified, while services go on using it. Whatever was acknowledged
 * before the call is in the copy.
 */
export function backUpSqlite(path: string, file: string): BackupSummary {
  if (existsSync(file))
    throw new OperatorError(`${file} exists and is not written over. Choose another name.`);
  if (!existsSync(path))
    throw new OperatorError(`There is no store at ${path}. Name it with --database-url.`);
  const partial = `${file}.partial`;
  rmSync(partial, { force: true });
  try {
    const database = connectToSound(path);
    try {
      checkOwnership(database, path);
      database.run('VACUUM INTO ?1', [partial]);
    } finally {
      database.close();
    }
    chmodSync(partial, 0o600);
    const summary = verify(partial);
    syncPath(partial);
    // Only a copy that is whole and on disk gets the name that was asked for.
    renameSync(partial, file);
    syncPath(dirname(file));
    return summary;
  } catch (error) {
    rmSync(partial, { force: true });
    throw explain(error, path);
  }
}

/** Puts a backup in the place of a store that nobody uses. Existing animals are replaced only by force. */
export function restoreSqlite(file: string, path: string, isForced: boolean): BackupSummary {
  if (!existsSync(file)) throw new OperatorError(`There is no backup at ${file}.`);
  verify(file);
  if (existsSync(path)) takeOutOfUse(path, isForced);
  const incoming = `${path}.restoring`;
  try {
    prepareFolder(path);
    copyFileSync(file, incoming);
    chmodSync(incoming, 0o600);
    const summary = verify(incoming);
    syncPath(incoming);
    // Those of a store that was moved away would be replayed into the one that takes its place.
    for (const suffix of ['-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
    renameSync(incoming, path);
    syncPath(dirname(path));
    return summary;
  } catch (error) {
    rmSync(incoming, { force: true });
    throw error instanceof OperatorError ? error : explain(error, path);
  }
}

/** Reads a copy whole: nothing less tells that a backup is one. */
function verify(file: string): BackupSummary {
  let database: Database | undefined;
  try {
    database = new Database(file, { readonly: true });
    checkOwnership(database, file);
    const [found] = database.query<{ integrity_check: string }, []>('PRAGMA integrity_check(1)').all();
    if (found?.integrity_check !== 'ok') throw damaged(file);
    const counted = database.query<{ petCount: number }, []>('SELECT count(*) AS petCount FROM pets').get();
    return { petCount: counted?.petCount ?? 0 };
  } catch (error) {
    throw explain(error, file);
  } finally {
    database?.close();
  }
}

/** Folds the log into the file and ends WAL mode, which succeeds only when no other process has the store open. */
function takeOutOfUse(path: string, isForced: boolean): void {
  let database: Database | undefined;
  try {
    database = connect(path);
    database.run('PRAGMA busy_timeout = 0');
    const isEmpty = !isForced && isWithoutAnimals(database, path);
    if (!isForced && !isEmpty) {
      throw new OperatorError(`${path} holds animals. To replace them by the backup, add --force.`);
    }
    database.run('PRAGMA journal_mode = DELETE');
  } catch (error) {
    if (error instanceof SQLiteError && error.code === 'SQLITE_BUSY') {
      throw new OperatorError(`${path} is in use. Stop its services first.`);
    }
    // A damaged store is what a backup is for.
    if (!isForced || !(error instanceof SQLiteError)) throw explain(error, path);
  } finally {
    database?.close();
  }
}

function isWithoutAnimals(database: Database, path: string): boolean {
  checkOwnership(database, path);
  const tables = database.query(`SELECT 1 FROM sqlite_schema WHERE name = 'pets'`).all();
  return tables.length === 0 || database.query('SELECT 1 FROM pets LIMIT 1').all().length === 0;
}
