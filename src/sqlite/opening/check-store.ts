import { Database } from 'bun:sqlite';
import { existsSync, statSync } from 'node:fs';
import { OperatorError } from '../../error.ts';
import { damagedUnchanged, explain, isBusy, isDamage, replaced } from '../errors.ts';
import { checkOwnership, readPragma } from '../migrate.ts';
import type { OpenedStore } from './opened-store.ts';
import { openReadOnly } from './read-only.ts';
import { isInPlace, stateOf } from './store-file.ts';
import { headerBytes } from '../wal/frames.ts';

/** Up to this size the whole file is checked for damage at start; larger ones are checked as they are read. */
const maxCheckedBytes = 16 * 1024 * 1024;

/** Refuses a store that is damaged, not ours, or newer than this program, before anything writes to it. */
export function refuseUnusable(store: OpenedStore): void {
  const { size } = statSync(store.path);
  // A file that the first start has just made, or that a crash has left half-made: SQLite undoes that by itself.
  if (size === 0 || existsSync(`${store.path}-journal`)) return;
  readUnchanged(store, (database) => {
    checkOwnership(database, store.name);
    if (size <= maxCheckedBytes) refuseDamage(database, store.name);
  });
}

export function refuseDamage(database: Database, path: string): void {
  const [found] = database.query<{ quick_check: string }, []>('PRAGMA quick_check(1)').all();
  if (found?.quick_check !== 'ok') throw damagedUnchanged(path);
}

const maxAttempts = 10;
const pauseMs = 20;

/**
 * Reads a store without changing it. Reports a failure only if two attempts in a row fail on an unchanged store: where
 * no lock applies, a concurrent write can look like damage.
 */
export function readUnchanged<Result>(store: OpenedStore, read: (database: Database) => Result): Result {
  let failedState: string | undefined;
  for (let attempt = 1; ; attempt++) {
    const before = stateOf(store);
    try {
      using reading = openReadOnly(store);
      refuseMissingPages(reading.database, store);
      const result = read(reading.database);
      reading.refuseChanged();
      return result;
    } catch (error) {
      const isSettled = failedState === before && stateOf(store) === before;
      if (isSettled || isBusy(error) || attempt === maxAttempts) throw explainOpening(error, store);
      failedState = before;
      Bun.sleepSync(pauseMs);
    }
  }
}

function refuseMissingPages(database: Database, store: OpenedStore): void {
  const { missingPages, name } = store;
  const areUsed = missingPages > 0 && missingPages > readPragma(database, 'freelist_count');
  if (areUsed || isCutOff(database, store)) throw damagedUnchanged(name);
}

/**
 * SQLite takes the beginning of a page for a page until the first commit. What is not in the log is in the file; asked
 * in this order, that is so while others write, too.
 */
function isCutOff(database: Database, { path }: OpenedStore): boolean {
  const bytes = readPragma(database, 'page_count') * readPragma(database, 'page_size');
  const logBytes = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  return logBytes <= headerBytes && statSync(path).size < bytes;
}

/** Whatever went wrong with a file that is no longer in its place, that is the reason. */
export function explainOpening(error: unknown, store: OpenedStore): unknown {
  if (!isInPlace(store)) return replaced(store.name);
  return isDamage(error) ? damagedUnchanged(store.name) : explain(error, store.name);
}

/** Versions before 3.51.3 can lose a commit when the WAL is reset while another connection writes. */
export function refuseOldSqlite(version = sqliteVersion()): void {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  if (major * 1_000_000 + minor * 1000 + patch < 3_051_003) {
    throw new OperatorError(
      `SQLite ${version} can lose acknowledged writes; 3.51.3 or newer is needed. Update Bun: npm install.`,
    );
  }
}

function sqliteVersion(): string {
  using database = new Database(':memory:');
  const { version } = database.query('SELECT sqlite_version() AS version').get() as { version: string };
  return version;
}
