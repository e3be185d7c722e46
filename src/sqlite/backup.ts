import { Database, SQLiteError } from 'bun:sqlite';
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { OperatorError } from '../error.ts';
import type { Report } from '../report.ts';
import { connect, isBusy } from './connect.ts';
import { checkOwnership } from './migrate.ts';
import { connectToSound, damaged, explain, prepareFolder, refuseDamagedPets, syncPath } from './file.ts';

/** Every file of SQLite begins so: https://sqlite.org/fileformat2.html. */
const databaseStart = 'SQLite format 3\0';

/** What a verified copy holds. */
export interface BackupSummary {
  petCount: number;
}

export interface RestoreSummary extends BackupSummary {
  /** Whether keys that were revoked after the backup are known, and stay revoked. */
  keepsRevocations: boolean;
}

/**
 * Copies a store into one file, consistent and verified, while services go on using it. Whatever was acknowledged
 * before the call is in the copy.
 */
export function backUpSqlite(path: string, file: string, report: Report): BackupSummary {
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
      makePrivate(partial, file);
      report.step(`Copying ${path}`);
      database.run('VACUUM INTO ?1', [partial]);
    } finally {
      database.close();
    }
    const summary = verify(partial, path, report);
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

/** SQLite writes into an empty file, and would let others read one that it made itself. */
function makePrivate(partial: string, file: string): void {
  try {
    closeSync(openSync(partial, 'wx', 0o600));
  } catch (error) {
    throw explain(error, file);
  }
}

export interface RestoreOptions {
  /** The backup. */
  file: string;
  /** The store. */
  path: string;
  /** Whether its animals are replaced. */
  isForced: boolean;
  report: Report;
}

/** Puts a backup in the place of a store that nobody uses. */
export function restoreSqlite({ file, path, isForced, report }: RestoreOptions): RestoreSummary {
  refuseNoBackup(file);
  const incoming = `${path}.restoring`;
  const isNew = !existsSync(path);
  let replaced: Database | undefined;
  try {
    prepareFolder(path);
    // A service that is started from here on has something to wait for, even where no store was.
    if (isNew) closeSync(openSync(path, 'ax', 0o600));
    replaced = takeOutOfUse(path, isForced);
    removeWithSideFiles(incoming);
    report.step(`Copying ${file}`);
    copyFileSync(file, incoming);
    chmodSync(incoming, 0o600);
    const keepsRevocations = keepRevocations(replaced, incoming, file);
    const summary = verify(incoming, file, report);
    syncPath(incoming);
    // Those of a store that was moved away would be replayed into the one that takes its place.
    for (const suffix of ['-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
    renameSync(incoming, path);
    syncPath(dirname(path));
    return { ...summary, keepsRevocations };
  } catch (error) {
    removeWithSideFiles(incoming);
    // Unless a service was faster, and has made it its store.
    if (isNew && statSync(path, { throwIfNoEntry: false })?.size === 0) rmSync(path);
    throw explain(error, path);
  } finally {
    replaced?.close();
  }
}

function removeWithSideFiles(file: string): void {
  for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true });
}

function refuseNoBackup(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found) throw new OperatorError(`There is no backup at ${file}.`);
  if (!found.isFile()) throw new OperatorError(`${file} is no file. Name the file of a backup.`);
  try {
    accessSync(file, constants.R_OK);
    if (!isDatabase(file))
      throw new OperatorError(`${file} is no backup. Name a file that petstore backup has made.`);
  } catch (error) {
    throw explain(error, file);
  }
  // Copied without its log, it would have forgotten the newest commits.
  if (!statSync(`${file}-wal`, { throwIfNoEntry: false })?.size) return;
  throw new OperatorError(
    `${file} has a log beside it, with commits of its own. ` +
      `Make a backup of both, and restore that: petstore backup FILE --database-url ${file}`,
  );
}

function isDatabase(file: string): boolean {
  const start = Buffer.alloc(databaseStart.length);
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, start);
  } finally {
    closeSync(descriptor);
  }
  return start.toString('latin1') === databaseStart;
}

/** Reads a copy whole: nothing less tells that a backup is one. Damage is that of `origin`, from which it was made. */
function verify(file: string, origin: string, report: Report): BackupSummary {
  let database: Database | undefined;
  try {
    database = new Database(file, { readonly: true });
    checkOwnership(database, origin);
    report.step('Checking the copy');
    const [found] = database.query<{ integrity_check: string }, []>('PRAGMA integrity_check(1)').all();
    if (found?.integrity_check !== 'ok') throw damaged(origin);
    return { petCount: refuseDamagedPets(database, origin, report) };
  } catch (error) {
    throw explain(error, origin);
  } finally {
    database?.close();
  }
}

/**
 * Folds the log into the file, ends WAL mode, which succeeds only when no other process has the store open, and keeps
 * the others away until the connection is closed. Undefined for a store that is too damaged for that.
 */
function takeOutOfUse(path: string, isForced: boolean): Database | undefined {
  let database: Database | undefined;
  try {
    database = connect(path);
    database.run('PRAGMA busy_timeout = 0');
    if (!isForced && !isWithoutAnimals(database, path)) {
      throw new OperatorError(`${path} holds animals. To replace them by the backup, add --force.`);
    }
    database.run('PRAGMA journal_mode = DELETE');
    database.run('BEGIN EXCLUSIVE');
    const { journal_mode: mode } = database.query('PRAGMA journal_mode').get() as { journal_mode: string };
    // Somebody came between the two statements.
    if (mode !== 'delete') throw inUse(path);
    return database;
  } catch (error) {
    database?.close();
    if (isBusy(error)) throw inUse(path);
    // A damaged store is what a backup is for.
    if (isForced && error instanceof SQLiteError) return undefined;
    throw explain(error, path);
  }
}

function inUse(path: string): OperatorError {
  return new OperatorError(`${path} is in use. Stop its services first.`);
}

function isWithoutAnimals(database: Database, path: string): boolean {
  checkOwnership(database, path);
  const tables = database.query(`SELECT 1 FROM sqlite_schema WHERE name = 'pets'`).all();
  return tables.length === 0 || database.query('SELECT 1 FROM pets LIMIT 1').all().length === 0;
}

/**
 * A key that was revoked because it had leaked must not come back with the backup. False when there are keys in the
 * backup of which the replaced store knows nothing.
 */
function keepRevocations(replaced: Database | undefined, incoming: string, origin: string): boolean {
  const known = new Map(keysOf(replaced).map(({ hash, revokedAt }) => [hash, revokedAt]));
  let copy: Database | undefined;
  try {
    copy = new Database(incoming, { readwrite: true, create: false });
    checkOwnership(copy, origin);
    // Whatever is written is in the file itself, which alone gets the store's name.
    copy.run('PRAGMA journal_mode = DELETE');
    const revoke = copy.query('UPDATE api_keys SET revoked_at = ?2 WHERE hash = ?1');
    const usable = keysOf(copy).filter(({ revokedAt }) => revokedAt === null);
    for (const { hash } of usable) {
      const revokedAt = known.get(hash);
      if (revokedAt) revoke.run(hash, revokedAt);
    }
    return usable.every(({ hash }) => known.has(hash));
  } catch (error) {
    throw explain(error, origin);
  } finally {
    copy?.close();
  }
}

/** All keys, revoked or not; none where there is no store, or one too damaged to be asked. */
function keysOf(database: Database | undefined): { hash: string; revokedAt: number | null }[] {
  try {
    const select = database?.query<{ hash: string; revokedAt: number | null }, []>(
      'SELECT hash, revoked_at AS revokedAt FROM api_keys',
    );
    return select?.all() ?? [];
  } catch {
    return [];
  }
}
