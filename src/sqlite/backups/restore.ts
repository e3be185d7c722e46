import { Database } from 'bun:sqlite';
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { OperatorError } from '../../error.ts';
import type { Report } from '../../progress.ts';
import { explain } from '../errors.ts';
import { prepareFolder, syncPath } from '../opening/folders.ts';
import { checkOwnership } from '../migrate.ts';
import { finishRestoreOf } from '../opening/opened-store.ts';
import { putInPlace } from '../opening/put-in-place.ts';
import { examineReplaced, readKeys, type KeyState } from './replaced-store.ts';
import { isFileOfStore, resolveLinks } from '../opening/store-file.ts';
import { verifyCopy, type CopySummary } from './verify-copy.ts';

export interface RestoreOptions {
  /** The backup. */
  file: string;
  /** The store, as the operator named it. */
  name: string;
  /** Whether its pets are replaced. */
  isForced: boolean;
  report: Report;
}

export interface RestoreSummary extends CopySummary {
  /** Whether keys that were revoked after the backup are known, and stay revoked. */
  keepsRevocations: boolean;
  /** Where the store is kept that was there before. */
  replacedPath?: string;
}

/**
 * Puts a backup in the place of a store that nobody uses. The backup is copied and verified first; until it takes its
 * place, nothing of the store is changed, and then the store is moved aside as it is.
 */
export function restoreSqlite({ file, name, isForced, report }: RestoreOptions): RestoreSummary {
  refuseNoBackup(file, name);
  const path = resolveLinks(name);
  let folder: string | undefined;
  try {
    finishRestoreOf(name);
    const replaced = examineReplaced(name, isForced);
    prepareFolder(path);
    // Its own: another restore may be under way.
    folder = mkdtempSync(`${path}.restoring-`);
    const incoming = join(folder, 'store.db');
    report.step(`Copying ${file}`);
    copyFileSync(file, incoming);
    chmodSync(incoming, 0o600);
    const keepsRevocations = keepRevocations(replaced.keys, incoming, file);
    const summary = verifyCopy(incoming, file, report);
    syncPath(incoming);
    const replacedPath = putInPlace(incoming, { name, path, state: replaced.state });
    return { ...summary, keepsRevocations, ...(replacedPath !== undefined && { replacedPath }) };
  } catch (error) {
    throw explain(error, name);
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}

function refuseNoBackup(file: string, name: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found) throw new OperatorError(`There is no backup at ${file}.`);
  if (!found.isFile()) throw new OperatorError(`${file} is no file. Name the file of a backup.`);
  if (isFileOfStore(name, file))
    throw new OperatorError(`${file} is the store itself, not a backup of it. Name the file of a backup.`);
  try {
    accessSync(file, constants.R_OK);
    if (!isDatabase(file))
      throw new OperatorError(`${file} is no backup. Name a file that petstore backup has made.`);
  } catch (error) {
    throw explain(error, file);
  }
  // Copied without its log, it would have forgotten the newest commits, or kept what was never committed.
  const logs = ['-wal', '-journal'].map((suffix) => `${resolveLinks(file)}${suffix}`);
  if (!logs.some((log) => statSync(log, { throwIfNoEntry: false })?.size)) return;
  throw new OperatorError(
    `${file} has a log beside it, with commits of its own. ` +
      `Make a backup of both, and restore that: petstore backup FILE --database-url ${file}`,
  );
}

/** Every file of SQLite begins so: https://sqlite.org/fileformat2.html. */
const databaseStart = 'SQLite format 3\0';

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

/**
 * A key that was revoked because it had leaked must not come back with the backup. False when there are keys in the
 * backup of which the replaced store knows nothing.
 */
function keepRevocations(keys: KeyState[], incoming: string, origin: string): boolean {
  const known = new Map(keys.map(({ hash, revokedAt }) => [hash, revokedAt]));
  let copy: Database | undefined;
  try {
    copy = new Database(incoming, { readwrite: true, create: false });
    checkOwnership(copy, origin);
    // Whatever is written is in the file itself, which alone gets the store's name.
    copy.run('PRAGMA journal_mode = DELETE');
    const revoke = copy.query('UPDATE api_keys SET revoked_at = ?2 WHERE hash = ?1');
    const usable = readKeys(copy).filter(({ revokedAt }) => revokedAt === null);
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
