/**
 * Backups are copies of a whole store in one file. `copy-store.ts` makes one and reads it back. A restore copies one beside
 * the store, carries revoked keys over and verifies it, all under the store's exclusive lock; until then, nothing of the
 * store changes. Then the copy is renamed to `.restoring`, the store is moved aside, and the copy gets its name. If a
 * crash leaves `.restoring` and no store, every command asks for the restore to be run again.
 */

import type { Database } from 'bun:sqlite';
import { openDatabase } from '../opening/connect.ts';
import {
  chmodSync,
  chownSync,
  closeSync,
  copyFileSync,
  existsSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { OperatorError } from '../../domain/error.ts';
import type { Report } from '../../domain/progress.ts';
import { syncPath } from '../../system/files.ts';
import { explain, isBusy, isUnreadable, replaced } from '../errors.ts';
import { openAlone } from '../opening/alone.ts';
import type { StoreContent } from '../opening/check-rows.ts';
import { verifyCopy } from '../opening/copy-store.ts';
import {
  findStoreFile,
  isFileOfStore,
  prepareFolder,
  readStart,
  resolveLinks,
  restoringPath,
  sideFiles,
} from '../opening/store-file.ts';
import { keepRevocations, readKeys, refuseContent, type KeyState, notBackup } from './replaced-keys.ts';

export interface RestoreOptions {
  /** The backup. */
  file: string;
  /** The store, as the operator named it. */
  name: string;
  /** Replaces a store that holds pets or orders, or is damaged. */
  isForced: boolean;
  report: Report;
}

export interface RestoreSummary extends StoreContent {
  /** Whether keys that were revoked after the backup are known, and stay revoked. */
  keepsRevocations: boolean;
  /** Where the store that was there before is kept. */
  replacedPath?: string;
}

/** Puts a backup in the place of a store that nobody uses. */
export function restoreSqlite(options: RestoreOptions): RestoreSummary {
  const { file, name, isForced } = options;
  refuseNoBackup(file, name);
  const path = resolveLinks(name);
  let isNew = false;
  let lock: Database | undefined;
  try {
    prepareFolder(path);
    isNew = !existsSync(path);
    // A file to lock, so that a service that starts now waits.
    if (isNew) closeSync(openSync(path, 'a', 0o600));
    lock = lockStore(name, isForced);
    return replaceLocked(options, path, lock);
  } catch (error) {
    // Unless a service has made it its store meanwhile.
    if (isNew && statSync(path, { throwIfNoEntry: false })?.size === 0) rmSync(path);
    throw explain(error, name);
  } finally {
    lock?.close();
  }
}

/** Undefined for a file that is not a sound database: it cannot be locked, and nobody can use it. */
function lockStore(name: string, isForced: boolean): Database | undefined {
  const store = findStoreFile(name);
  if (!store) throw replaced(name);
  try {
    return openAlone(store);
  } catch (error) {
    if (isBusy(error)) throw new OperatorError(`${name} is in use.`, 'Stop its services first.');
    if (isForced && isUnreadable(error)) return undefined;
    throw error;
  }
}

function replaceLocked(
  { file, name, isForced, report }: RestoreOptions,
  path: string,
  lock: Database | undefined,
): RestoreSummary {
  const restoring = restoringPath(path);
  const isEmpty = statSync(path).size === 0;
  // What an interrupted restore has left holds the keys of the store that it moved aside.
  const isAgain = isEmpty && existsSync(restoring);
  const keys = isAgain ? keysOfInterrupted(restoring) : keysOfReplaced(lock, name, isForced);
  const partial = `${restoring}.partial`;
  // With a journal of its own: SQLite would undo in this copy what a killed restore has begun in another one.
  const discard = (): void => {
    for (const suffix of ['', ...sideFiles]) rmSync(`${partial}${suffix}`, { force: true });
  };
  let kept: string | undefined;
  try {
    report.step(`Copying ${file}`);
    discard();
    copyFileSync(file, partial);
    chmodSync(partial, 0o600);
    // A restore by root must not lock out the user of the service.
    const { uid, gid } = statSync(isAgain ? restoring : path);
    if (statSync(partial).uid !== uid) chownSync(partial, uid, gid);
    const keepsRevocations = keepRevocations(keys, partial, file);
    const content = verifyCopy(partial, file, report);
    syncPath(partial);
    kept = keepReplaced(path);
    renameSync(partial, restoring);
    exchange(restoring, path);
    const isKept = existsSync(kept);
    return { ...content, keepsRevocations, ...(isKept && { replacedPath: kept }) };
  } catch (error) {
    discard();
    throw error;
  }
}

/** Gives the files of the store second names, so that a crash never parts it from its log. */
function keepReplaced(path: string): string {
  const kept = nameReplaced(path);
  const suffixes = filesOf(path).filter((suffix) => suffix !== '' || statSync(path).size > 0);
  try {
    for (const suffix of suffixes) linkSync(`${path}${suffix}`, `${kept}${suffix}`);
  } catch (error) {
    for (const suffix of suffixes) rmSync(`${kept}${suffix}`, { force: true });
    throw error;
  }
  return kept;
}

/**
 * Each step reaches the disk before the next one. The file goes before its log, without which it would lack commits, and
 * the log before the new file comes, to which SQLite would add it.
 */
function exchange(restoring: string, path: string): void {
  const folder = dirname(path);
  syncPath(folder);
  for (const suffix of filesOf(path)) {
    rmSync(`${path}${suffix}`);
    syncPath(folder);
  }
  renameSync(restoring, path);
  syncPath(folder);
}

function filesOf(path: string): string[] {
  return ['', ...sideFiles].filter((suffix) => existsSync(`${path}${suffix}`));
}

/** Named after its time. Another one may have happened in the same second. */
function nameReplaced(path: string): string {
  const first = `${path}.replaced-${new Date().toISOString().replace(/\.\d+|[-:]/g, '')}`;
  let name = first;
  for (let count = 2; filesOf(name).length > 0; count++) name = `${first}.${count}`;
  return name;
}

/** Unless the restore is forced, refuses a store that holds pets or orders or is damaged. */
function keysOfReplaced(lock: Database | undefined, name: string, isForced: boolean): KeyState[] {
  if (!lock) return [];
  try {
    if (!isForced) refuseContent(lock, name);
    return readKeys(lock, name);
  } catch (error) {
    if (isForced) return [];
    throw error;
  }
}

function keysOfInterrupted(restoring: string): KeyState[] {
  try {
    using database = openDatabase(restoring, { readonly: true });
    return readKeys(database, restoring);
  } catch {
    return [];
  }
}

/** The first bytes of every SQLite file: https://sqlite.org/fileformat2.html */
const databaseStart = 'SQLite format 3\0';

function refuseNoBackup(file: string, name: string): void {
  const remedy = 'Name a file that petstore backup has made.';
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found) throw new OperatorError(`There is no backup at ${file}.`, remedy);
  if (!found.isFile())
    throw new OperatorError(`${file} is not a file.`, `${remedy} For the newest in a folder, add --latest.`);
  if (isFileOfStore(name, file))
    throw new OperatorError(`${file} is the store itself, not a backup of it.`, remedy);
  try {
    const start = readStart(file, databaseStart.length)?.toString('latin1');
    if (start !== databaseStart) throw notBackup(file);
  } catch (error) {
    throw explain(error, file);
  }
  // Without its log it would lack the newest commits, or hold what was never committed.
  const logs = ['-wal', '-journal'].map((suffix) => `${resolveLinks(file)}${suffix}`);
  if (!logs.some((log) => statSync(log, { throwIfNoEntry: false })?.size)) return;
  throw new OperatorError(
    `${file} has a log beside it, with commits of its own.`,
    `Make a backup of both, and restore that: petstore backup FILE --database-url ${file}`,
  );
}
