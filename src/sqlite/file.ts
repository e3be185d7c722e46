import { SQLiteError, type Database } from 'bun:sqlite';
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  statSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { OperatorError } from '../error.ts';
import type { Report } from '../report.ts';
import { busyTimeoutMs, connect, isBusy, makeDurable, whenFree } from './connect.ts';
import { checkLog } from './wal/check.ts';
import { checkOwnership, migrate, readPragma } from './migrate.ts';
import { isIntact, storedPetColumns, type StoredPet } from './stored-pet.ts';

/** Up to this size the whole file is checked for damage at start: about 50 ms. Larger ones are checked as they are read. */
const maxCheckedBytes = 16 * 1024 * 1024;

/** Opens the file, made, checked and brought up to date as a store needs it. */
export function openWritable(path: string): Database {
  prepareFile(path);
  let database: Database | undefined;
  try {
    const { ino } = statSync(path);
    database = connectToSound(path);
    const { version } = database.query('SELECT sqlite_version() AS version').get() as { version: string };
    refuseOldSqlite(version);
    checkOwnership(database, path);
    refuseDamage(database, path);
    makeDurable(database);
    migrate(database);
    // From here on, a restore finds the store in use.
    refuseReplaced(path, ino);
    return database;
  } catch (error) {
    database?.close();
    throw explain(error, path);
  }
}

/** Opens an existing file, unless SQLite would forget commits without a word. */
export function connectToSound(path: string): Database {
  // Before SQLite sees the log, since it mends a log by cutting it off at the damage.
  const { isDamaged, missingPages } = checkLog(path);
  if (isDamaged) throw damaged(path);
  const { ino } = statSync(path);
  const database = connect(path);
  try {
    readWhenFree(database, path, ino);
    if (missingPages > 0 && missingPages > readPragma(database, 'freelist_count')) throw damaged(path);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Waits for whoever holds the lock, which may be a restore that puts another file into this place. SQLite finds a log by
 * the name of its file: it would take that of the new file for the log of the one that it has open.
 */
function readWhenFree(database: Database, path: string, ino: number): void {
  database.run('PRAGMA busy_timeout = 0');
  whenFree(() => {
    refuseReplaced(path, ino);
    readPragma(database, 'schema_version');
  });
  database.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
}

function refuseReplaced(path: string, ino: number): void {
  if (statSync(path).ino === ino) return;
  throw new OperatorError(`${path} was replaced while it was being opened. Run the same command again.`);
}

/** Versions before 3.51.3 can lose a commit when the WAL is reset while another connection writes. */
export function refuseOldSqlite(version: string): void {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  if (major * 1_000_000 + minor * 1000 + patch < 3_051_003) {
    throw new OperatorError(
      `SQLite ${version} can lose acknowledged writes; 3.51.3 or newer is needed. Update Bun: npm install.`,
    );
  }
}

/** Makes the folder and the file readable by their owner alone; SQLite gives its side files the same rights. */
function prepareFile(path: string): void {
  const folder = dirname(path);
  try {
    prepareFolder(path);
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw isFolder(path);
    if (!existsSync(path)) closeSync(openSync(path, 'ax', 0o600));
    accessSync(folder, constants.W_OK);
    accessSync(path, constants.R_OK | constants.W_OK);
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    throw new OperatorError(
      `The store ${path} cannot be written (${code ?? message}). ` +
        'Give this user write rights to the folder and the file, or choose another file with --database-url.',
    );
  }
}

export function prepareFolder(path: string): void {
  const folder = dirname(resolve(path));
  const first = mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  // The name of each new folder is in the one above it.
  for (let made = folder; made.length >= first.length; made = dirname(made)) syncPath(dirname(made));
}

/** A new name survives a power cut only when the folder that holds it is synced too. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}

function refuseDamage(database: Database, path: string): void {
  if (statSync(path).size > maxCheckedBytes) return;
  const [found] = database.query<{ quick_check: string }, []>('PRAGMA quick_check(1)').all();
  if (found?.quick_check !== 'ok') throw damaged(path);
}

const petsPerReport = 10_000;

/** Reads every animal, since SQLite does not notice a byte that has changed within a text. Tells how many there are. */
export function refuseDamagedPets(database: Database, path: string, report: Report): number {
  const { total } = database.query('SELECT count(*) AS total FROM pets').get() as { total: number };
  const checksums = database.query(`SELECT 1 FROM pragma_table_info('pets') WHERE name = 'checksum'`).all();
  // An older release has made it, and nobody has opened it since.
  if (checksums.length === 0) return total;
  const pets = database.query<StoredPet & { id: string }, []>(
    `SELECT CAST(id AS TEXT) AS id, ${storedPetColumns} FROM pets`,
  );
  using progress = report.progress('animals read', total);
  let count = 0;
  for (const pet of pets.iterate()) {
    if (!isIntact(pet, pet.id)) throw damaged(path);
    count += 1;
    if (count % petsPerReport === 0) progress.add(petsPerReport);
  }
  progress.add(count % petsPerReport);
  return count;
}

/** One line for the operator about a file that cannot be opened, read or written. */
export function explain(error: unknown, path: string): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall !== undefined)
    return new OperatorError(`${path}: ${syscall} failed (${code}). Check the disk and the rights.`);
  if (!(error instanceof SQLiteError)) return error;
  if (isBusy(error)) {
    return new OperatorError(
      `The store ${path} is locked by another process, such as petstore restore. Try again when that is done.`,
    );
  }
  if (error.code === 'SQLITE_NOTADB') {
    return new OperatorError(
      `${path} is not a database. Choose another file with --database-url, or move this one away.`,
    );
  }
  if (error.code?.startsWith('SQLITE_CORRUPT')) return damaged(path);
  if (error.code === 'SQLITE_FULL' || error.code === 'SQLITE_IOERR_SHMSIZE')
    return new OperatorError(`The store ${path} cannot be opened: the disk is full. Make room on it.`);
  return new OperatorError(`The store ${path} cannot be opened: ${error.message} (${error.code}).`);
}

export function damaged(path: string): OperatorError {
  return new OperatorError(
    `The database ${path} is damaged. Nothing was changed. Put a backup in its place: petstore restore FILE --force`,
  );
}

function isFolder(path: string): OperatorError {
  return new OperatorError(
    `${path} is a folder. Name a file in it: --database-url ${join(path, 'petstore.db')}`,
  );
}
