import { Database } from 'bun:sqlite';
import { chownSync, existsSync, linkSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { OperatorError } from '../../../domain/error.ts';
import {
  attemptRead,
  copyPrivately,
  partialForm,
  partialOf,
  removeLeftovers,
  resolveLinks,
  sizeOf,
  syncPath,
} from '../../../system/files.ts';
import type { Report } from '../../../system/progress.ts';
import { beginLog } from '../../apply.ts';
import type { StoreContent } from '../../check.ts';
import type { DrawnTable } from '../../statement.ts';
import { openAlone } from '../connect.ts';
import { damaged, operatorError, isDamage, isUnreadable, replaced } from '../errors.ts';
import { findOrMakeStore, holdsFrames, isFileOfStore, refuseUnwritable, sideFiles } from '../file.ts';
import { checkOwnership, isWithoutSchema, readPragma } from '../schema.ts';
import { createTx, raiseLastId, readLastId } from '../tx.ts';
import { isInPlace } from '../watch.ts';
import { verifyCopy } from './backup.ts';

/**
 * A backup is a whole store in one file. Under the store's exclusive lock, a restore copies the backup beside the
 * store, carries over revoked keys and used ids, and verifies the copy. It then takes the old store out of WAL mode, so
 * that it is one file too, gives it a second name, and renames the copy into place. A kill at any point leaves either
 * the old store or the new one.
 */

export interface RestoreOptions {
  /** The backup. */
  file: string;
  /** The store, as the operator named it. */
  name: string;
  /** Allows replacing a store that holds pets or orders, or is damaged. */
  isForced: boolean;
  report: Report;
}

export interface RestoreSummary extends StoreContent {
  /** Whether keys revoked after the backup are known and stay revoked. */
  keepsRevocations: boolean;
  /** Where the replaced store is kept. */
  replacedPath?: string;
}

/** Replaces a store that nobody uses with a backup. */
export async function restoreSqlite(options: RestoreOptions): Promise<RestoreSummary> {
  const { name } = options;
  refuseNoBackup(options);
  const path = resolveLinks(name);
  const isNew = !existsSync(path);
  let lock: Database | undefined;
  try {
    // A new file is locked, too, so that a service that starts now waits.
    const store = findOrMakeStore(name);
    refuseUnwritable(name);
    lock = openAlone(store);
    if (!isInPlace(store)) throw replaced(name);
    return await replaceStore(options, path, lock);
  } catch (error) {
    if (isNew && sizeOf(path) === 0) rmSync(path, { force: true });
    throw operatorError(error, name);
  } finally {
    // Not earlier: a process that waits for the lock must find the new file. Closing leaves the new file's log alone.
    lock?.close();
  }
}

async function replaceStore(options: RestoreOptions, path: string, lock: Database): Promise<RestoreSummary> {
  const { file, report } = options;
  const remainder = readRemainder(options, lock);
  removeLeftovers(path, partialForm);
  const partial = partialOf(path);
  try {
    report.step(`Copying ${file}`);
    copyPrivately(file, partial);
    // A restore by root must not lock out the service's user.
    const { uid, gid } = statSync(path);
    if (statSync(partial).uid !== uid) chownSync(partial, uid, gid);
    const keepsRevocations = carryOver(remainder, partial, file);
    const content = await verifyCopy(partial, file, report);
    syncPath(partial);
    const replacedPath = exchange(partial, path, lock);
    return { ...content, keepsRevocations, ...(replacedPath !== undefined && { replacedPath }) };
  } catch (error) {
    for (const suffix of ['', ...sideFiles]) rmSync(`${partial}${suffix}`, { force: true });
    if (isDamage(error)) throw damaged(file);
    throw isUnreadable(error) ? notBackup(file) : error;
  }
}

/** Returns where the replaced store is kept, if it held anything. */
function exchange(partial: string, path: string, lock: Database): string | undefined {
  const kept = `${path}.replaced-${new Date().toISOString().replace(/[-:.]/g, '')}`;
  leaveWalMode(lock, path);
  const isEmpty = sizeOf(path) === 0;
  if (!isEmpty) {
    // A hard link, so that the store always has at least one name.
    linkSync(path, kept);
    // SQLite would apply these to the new file.
    for (const suffix of ['-wal', '-journal'].filter((each) => sizeOf(`${path}${each}`) > 0))
      renameSync(`${path}${suffix}`, `${kept}${suffix}`);
  }
  for (const suffix of sideFiles) rmSync(`${path}${suffix}`, { force: true });
  renameSync(partial, path);
  syncPath(dirname(path));
  return isEmpty ? undefined : kept;
}

/** Moves the log into the file. If SQLite cannot read the store, its log is kept beside it. */
function leaveWalMode(lock: Database, path: string): void {
  try {
    readPragma(lock, 'schema_version');
    // Unlike DELETE, TRUNCATE leaves no journal with content.
    lock.run('PRAGMA journal_mode = TRUNCATE');
  } catch (error) {
    if (isUnreadable(error)) return;
    throw error;
  }
  if (!holdsFrames(`${path}-wal`)) return;
  throw new OperatorError(`The log ${path}-wal could not be moved into its store.`, 'Check the disk.');
}

function refuseNoBackup({ file, name }: RestoreOptions): void {
  const remedy = 'Name a file that petstore backup has made.';
  const stats = attemptRead(file, () => statSync(file, { throwIfNoEntry: false }));
  if (!stats) throw new OperatorError(`There is no backup at ${file}.`, remedy);
  if (!stats.isFile())
    throw new OperatorError(`${file} is not a file.`, `${remedy} For the newest in a folder, add --latest.`);
  if (isFileOfStore(name, file))
    throw new OperatorError(`${file} is the store itself, not a backup of it.`, remedy);
  // A file without its log would lack the newest commits, or contain uncommitted changes.
  const logs = ['-wal', '-journal'].map((suffix) => `${resolveLinks(file)}${suffix}`);
  if (!logs.some((log) => sizeOf(log) > 0)) return;
  throw new OperatorError(
    `${file} has a log beside it, with commits of its own.`,
    `Make a backup of both, and restore that: petstore backup FILE --database-url ${file}`,
  );
}

/** Ids of the replaced store that are not used again. */
const keptIds = ['pets', 'orders'] as const satisfies readonly DrawnTable[];

/** What a restored store inherits from the one it replaces. */
interface Remainder {
  /** All keys, including revoked ones. */
  keys: Revocation[];
  lastIds: Record<(typeof keptIds)[number], bigint>;
}

interface Revocation {
  hash: string;
  /** May lie ahead. */
  revokedAt: number | null;
}

const nothingLeft: Remainder = { keys: [], lastIds: { pets: 0n, orders: 0n } };

/** Refuses a store that holds pets or orders, is not ours or cannot be read, unless the restore is forced. */
function readRemainder({ name, isForced }: RestoreOptions, lock: Database): Remainder {
  try {
    checkOwnership(lock, name);
    if (isWithoutSchema(lock)) return nothingLeft;
    const holds = (table: string) => lock.query(`SELECT 1 FROM ${table} LIMIT 1`).get();
    const held = isForced ? undefined : ['pets', 'orders', 'categories'].find(holds);
    if (held !== undefined)
      throw new OperatorError(`${name} holds ${held}.`, 'To replace them with the backup, add --force.');
    const [pets, orders] = keptIds.map((table) => readLastId(lock, table)) as [bigint, bigint];
    return { keys: readKeys(lock), lastIds: { pets, orders } };
  } catch (error) {
    if (isForced) return nothingLeft;
    throw error;
  }
}

function readKeys(database: Database): Revocation[] {
  return database.query<Revocation, []>('SELECT hash, revoked_at AS revokedAt FROM api_keys').all();
}

/**
 * Revokes in the copy every key that the replaced store had revoked, no later than there: a leaked key must not return
 * with a backup. Ids used in the replaced store are not used again. Returns false if the copy has usable keys that the
 * replaced store does not know.
 */
function carryOver({ keys, lastIds }: Remainder, copy: string, origin: string): boolean {
  using database = new Database(copy, { readwrite: true, create: false });
  // A store's file that was copied without its log may be empty.
  if (isWithoutSchema(database)) throw notBackup(origin);
  checkOwnership(database, origin);
  // Only the file itself is renamed to the store's name, so its log must be empty.
  database.run('PRAGMA journal_mode = DELETE');
  const known = new Set(keys.map(({ hash }) => hash));
  const usable = readKeys(database).filter(({ revokedAt }) => revokedAt === null || revokedAt > Date.now());
  const revoke = database.query(
    'UPDATE api_keys SET revoked_at = min(coalesce(revoked_at, ?2), ?2) WHERE hash = ?1',
  );
  const changeAll = database.transaction(() => {
    for (const { hash, revokedAt } of keys) if (revokedAt !== null) revoke.run(hash, revokedAt);
    for (const table of keptIds) raiseLastId(database, table, lastIds[table]);
    beginLog(createTx(database));
  });
  changeAll();
  return usable.every(({ hash }) => known.has(hash));
}

function notBackup(file: string): OperatorError {
  return new OperatorError(`${file} is not a backup.`, 'Name a file that petstore backup has made.');
}
