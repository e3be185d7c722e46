import { Database } from 'bun:sqlite';
import { statSync } from 'node:fs';
import { OperatorError } from '../../../domain/error.ts';
import { damaged } from '../errors.ts';
import { checkOwnership, readPragma } from '../schema/migrate.ts';
import { holdsFrames, type StoreFile } from './find.ts';

/** Files up to this size are checked completely at start; larger ones are checked as they are read. */
const maxCheckedBytes = 16 * 1024 * 1024;

/** Refuses a store that is damaged, not ours, or newer than this program. Returns its schema version. */
export function refuseUnusable(database: Database, { name, path }: StoreFile): number {
  checkOwnership(database, name);
  refuseMissingPages(database, name, path);
  if (statSync(path).size <= maxCheckedBytes) refuseDamage(database, name);
  return readPragma(database, 'user_version');
}

/** Checks the structure of the file, but not the bytes within a text: see `check-rows.ts`. */
export function refuseDamage(database: Database, name: string): void {
  const [found] = database.query<{ quick_check: string }, []>('PRAGMA quick_check(1)').all();
  if (found?.quick_check !== 'ok') throw damaged(name);
}

/** SQLite accepts a file without its last page until the first commit. */
function refuseMissingPages(database: Database, name: string, path: string): void {
  const bytes = readPragma(database, 'page_count') * readPragma(database, 'page_size');
  // Check the log first: a checkpoint may move pages from the log to the file in between.
  const isCutOff = !holdsFrames(`${path}-wal`) && statSync(path).size < bytes;
  if (isCutOff) throw damaged(name);
}

/** Before 3.51.3, SQLite can lose a commit if the log restarts while another connection writes. */
export function refuseOldSqlite(version = sqliteVersion()): void {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  if (major * 1_000_000 + minor * 1000 + patch >= 3_051_003) return;
  throw new OperatorError(
    `SQLite ${version} can lose acknowledged writes; 3.51.3 or newer is needed.`,
    'Update Bun: npm install.',
  );
}

/** The SQLite inside Bun. */
export function sqliteVersion(): string {
  using database = new Database(':memory:');
  const { version } = database.query('SELECT sqlite_version() AS version').get() as { version: string };
  return version;
}
