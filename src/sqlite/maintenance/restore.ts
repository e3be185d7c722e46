/**
 * Backups are copies of a whole store in one file. `backup.ts` makes one and reads it back. This file copies one beside
 * the store, verifies that copy and carries revoked keys over; until then, nothing of the store changes. Then
 * `put-in-place.ts` moves the store aside and gives the copy its name, under the lock of `lock-store.ts`.
 */

import { chmodSync, copyFileSync, existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { OperatorError } from '../../domain/error.ts';
import type { Report } from '../../domain/progress.ts';
import { explain } from '../errors.ts';
import type { StoreContent } from '../opening/check-rows.ts';
import { isFileOfStore, prepareFolder, readStart, resolveLinks, syncPath } from '../opening/store-file.ts';
import { verifyCopy } from './copy-store.ts';
import { inUse, makeScratchFolder } from './lock-store.ts';
import { finishRestore, putInPlace } from './put-in-place.ts';
import { examineReplaced, keepRevocations } from './replaced-store.ts';

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
export function restoreSqlite({ file, name, isForced, report }: RestoreOptions): RestoreSummary {
  refuseNoBackup(file, name);
  const path = resolveLinks(name);
  let folder: string | undefined;
  try {
    finishRestore(name, path);
    const replaced = examineReplaced(name, isForced);
    prepareFolder(path);
    folder = makeScratchFolder(path, 'restoring');
    const incoming = join(folder, 'store.db');
    report.step(`Copying ${file}`);
    copyFileSync(file, incoming);
    chmodSync(incoming, 0o600);
    const keepsRevocations = keepRevocations(replaced.keys, incoming, file);
    const content = verifyCopy(incoming, file, report);
    syncPath(incoming);
    const replacedPath = putInPlace(incoming, { name, path, state: replaced.state });
    return { ...content, keepsRevocations, ...(replacedPath !== undefined && { replacedPath }) };
  } catch (error) {
    // Another restore removed the folder under its lock.
    if (folder !== undefined && !existsSync(folder)) throw inUse(name);
    throw explain(error, name);
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
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
    if (start !== databaseStart) throw new OperatorError(`${file} is not a backup.`, remedy);
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
