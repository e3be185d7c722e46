import { Database } from 'bun:sqlite';
import { chownSync, linkSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { OperatorError } from '../../../domain/error.ts';
import { partialForm, partialOf, removeLeftovers, sizeOf, syncPath } from '../../../system/files.ts';
import type { Report } from '../../../system/progress.ts';
import { beginLog } from '../../apply.ts';
import type { StoreContent } from '../../check.ts';
import { openAlone } from '../connect.ts';
import { damaged, isDamage, isUnreadable, operatorError, replaced } from '../errors.ts';
import { findOrMakeStore, findStore, refuseUnwritable, sideFiles } from '../file.ts';
import { checkOwnership, isWithoutSchema, readPragma } from '../schema.ts';
import { type DrawnTable, drawnTables } from '../../statement.ts';
import { createTx, raiseLastId, readLastId } from '../tx.ts';
import { isInPlace } from '../watch.ts';
import { verifyCopy } from './backup.ts';

/**
 * Under the store's exclusive lock, a restore fetches the backup to a file beside the store, carries over revoked keys
 * and used ids, and verifies it. It then takes the old store out of WAL mode, so that it is one file too, gives it a
 * second name, and renames the new one into place. A kill at any point leaves either the old store or the new one.
 */

export interface RestoreOptions {
  /** The store, as the operator named it. */
  store: string;
  /** The name of the backup. */
  name: string;
  /** Copies the backup to a path, where only its owner can read it. */
  fetch: (path: string) => Promise<void>;
  /** Allows replacing a store that holds something, or is damaged. */
  isForced: boolean;
  report: Report;
}

export interface Restored {
  content: StoreContent;
  /** Where the replaced store is kept, if it held anything. */
  replacedPath: string | undefined;
}

/** Replaces a store that nobody uses with a backup. */
export async function restoreSqlite(options: RestoreOptions): Promise<Restored> {
  const { store } = options;
  const isNew = findStore(store) === undefined;
  // A new file is locked, too, so that a service that starts now waits.
  const file = findOrMakeStore(store);
  let lock: Database | undefined;
  try {
    refuseUnwritable(store);
    lock = openAlone(file);
    if (!isInPlace(file)) throw replaced(store);
    return await replaceStore(options, file.path, lock);
  } catch (error) {
    if (isNew && sizeOf(file.path) === 0) rmSync(file.path, { force: true });
    throw operatorError(error, store);
  } finally {
    // Not earlier: a process that waits for the lock must find the new file. Closing leaves the new file's log alone.
    lock?.close();
  }
}

async function replaceStore(
  { store, name, fetch, isForced, report }: RestoreOptions,
  path: string,
  lock: Database,
): Promise<Restored> {
  const remainder = readRemainder(store, isForced, lock);
  removeLeftovers(path, partialForm);
  const partial = partialOf(path);
  try {
    report.step(`Fetching ${name}`);
    await fetch(partial);
    // A restore by root must not lock out the service's user.
    const { uid, gid } = statSync(path);
    if (statSync(partial).uid !== uid) chownSync(partial, uid, gid);
    carryOver(remainder, partial, name);
    const content = await verifyCopy(partial, name, report);
    syncPath(partial);
    return { content, replacedPath: exchange(partial, path, lock) };
  } catch (error) {
    for (const suffix of ['', ...sideFiles]) rmSync(`${partial}${suffix}`, { force: true });
    if (isDamage(error)) throw damaged(name);
    throw isUnreadable(error) ? notBackup(name) : error;
  }
}

/** Returns where the replaced store is kept, if it held anything. */
function exchange(partial: string, path: string, lock: Database): string | undefined {
  const isEmpty = sizeOf(path) === 0;
  const secondName = `${path}.replaced-${new Date().toISOString().replace(/[-:.]/g, '')}`;
  if (!isEmpty) {
    moveLogIntoFile(lock);
    // A hard link, so that the store always has at least one name.
    linkSync(path, secondName);
    // The log of a store that SQLite cannot read. SQLite would apply it to the new file.
    for (const suffix of ['-wal', '-journal'].filter((each) => sizeOf(`${path}${each}`) > 0))
      renameSync(`${path}${suffix}`, `${secondName}${suffix}`);
  }
  for (const suffix of sideFiles) rmSync(`${path}${suffix}`, { force: true });
  renameSync(partial, path);
  syncPath(dirname(path));
  return isEmpty ? undefined : secondName;
}

function moveLogIntoFile(lock: Database): void {
  try {
    readPragma(lock, 'schema_version');
    // Unlike DELETE, TRUNCATE leaves no journal with content.
    lock.run('PRAGMA journal_mode = TRUNCATE');
  } catch (error) {
    if (!isUnreadable(error)) throw error;
  }
}

/** What a restored store inherits from the one it replaces. */
interface Remainder {
  /** Each revoked key with its end, which may lie in the future. */
  revoked: { hash: string; revokedAt: number }[];
  /** The largest id ever used in each table. */
  lastIds: [DrawnTable, bigint][];
}

const nothing: Remainder = { revoked: [], lastIds: [] };

/** Refuses a store that holds something, is not ours or cannot be read, unless the restore is forced. */
function readRemainder(name: string, isForced: boolean, lock: Database): Remainder {
  try {
    checkOwnership(lock, name);
    if (isWithoutSchema(lock)) return nothing;
    const isFilled = (table: string) => lock.query(`SELECT 1 FROM ${table} LIMIT 1`).get() !== null;
    const content = isForced ? undefined : ['pets', 'orders', 'categories'].find(isFilled);
    if (content !== undefined)
      throw new OperatorError(`${name} holds ${content}.`, 'To replace them with the backup, add --force.');
    return {
      revoked: lock
        .query<Remainder['revoked'][number], []>(
          'SELECT hash, revoked_at AS revokedAt FROM api_keys WHERE revoked_at IS NOT NULL',
        )
        .all(),
      lastIds: drawnTables.map((table) => [table, readLastId(lock, table)]),
    };
  } catch (error) {
    if (isForced) return nothing;
    throw error;
  }
}

/**
 * Revokes keys in the copy no later than the replaced store did: a leaked key must not return with a backup. Ids that
 * the replaced store has used are not used again.
 */
function carryOver({ revoked, lastIds }: Remainder, copy: string, backup: string): void {
  using database = new Database(copy, { readwrite: true, create: false });
  // A store's file that was copied without its log may be empty.
  if (isWithoutSchema(database)) throw notBackup(backup);
  checkOwnership(database, backup);
  // Only the file itself is renamed to the store's name, so its log must be empty.
  database.run('PRAGMA journal_mode = DELETE');
  const revoke = database.query(
    'UPDATE api_keys SET revoked_at = min(coalesce(revoked_at, ?2), ?2) WHERE hash = ?1',
  );
  const change = database.transaction(() => {
    for (const { hash, revokedAt } of revoked) revoke.run(hash, revokedAt);
    for (const [table, id] of lastIds) raiseLastId(database, table, id);
    beginLog(createTx(database));
  });
  change();
}

function notBackup(file: string): OperatorError {
  return new OperatorError(`${file} is not a backup.`, 'Name a file that petstore backup has made.');
}
