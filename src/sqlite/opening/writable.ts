/**
 * How a store is opened. `store-file.ts` finds the file behind the operator's name. `read-only.ts` opens it without
 * changing a byte, and `check-store.ts` refuses it there if it cannot be used. Only then is it opened for writing, here.
 * While it is in use, `store-watch.ts` checks that the name still leads to the same file, log and shared memory.
 */

import type { Database } from 'bun:sqlite';
import { accessSync, closeSync, constants, existsSync, openSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { OperatorError } from '../../domain/error.ts';
import type { MigrationOptions } from '../../domain/migration.ts';
import { removeLeftovers } from '../../system/leftovers.ts';
import { explainOpening, replaced } from '../errors.ts';
import { noReport } from '../../domain/progress.ts';
import { foldNames, isOlder, migrate } from '../schema/migrate.ts';
import { refuseLost } from './alone.ts';
import { refuseOldSqlite, refuseUnusable } from './check-store.ts';
import { connect, makeDurable, openDatabase, readWhenFree } from './connect.ts';
import { keepOlder } from './copy-store.ts';
import { readUnchanged } from './read-only.ts';
import { explainRights } from './rights.ts';
import {
  findStoreFile,
  isInPlace,
  prepareFolder,
  refuseIncomplete,
  resolveLinks,
  restoringPath,
  withSideFiles,
  type StoreFile,
} from './store-file.ts';

export interface WritableStore {
  store: StoreFile;
  database: Database;
  close: () => void;
}

/** Opens a store for reading and writing: makes it where it is missing, checks it and brings its schema up to date. */
export function openForWriting(
  name: string,
  { keepsOlder = true, onMade, onMigrated, report = noReport }: MigrationOptions = {},
): WritableStore {
  refuseOldSqlite();
  const store = findOrMake(name);
  let database: Database | undefined;
  let guard: Database | undefined;
  try {
    const version = checkedVersion(store);
    // Before there is a connection: reading the store's files by another way would drop its locks.
    const keptAs = keepsOlder && isOlder(version) ? keepOlder(store, version) : undefined;
    refuseLost(store);
    database = connect(store);
    readWhenFree(database, store);
    makeDurable(database);
    // From here on, a restore finds the store in use. Not before: it is in WAL mode only now, and without the guard, a
    // migration could go into the log of a store that a restore has put in this place.
    guard = openGuard(store);
    // What a restore has left that was killed before it touched the store.
    removeLeftovers(restoringPath(store.path), String.raw`(?:\.partial.*)?`);
    const migration = migrate(database);
    if (version === 0) onMade?.();
    if (migration) onMigrated?.({ ...migration, ...(keptAs !== undefined && { keptAs }) });
    foldNames(database, name, report);
    return closable(withSideFiles(store), database, guard);
  } catch (error) {
    guard?.close();
    database?.close();
    throw explainOpening(error, store);
  }
}

/** Connections that stay open until the process ends. */
const left = new Set<Database>();

/**
 * The last connection to a store moves the log into the file when it closes. If the file, the log or the shared memory
 * is no longer the same, others may have written what this process does not see, and that would overwrite it. So the
 * guard, which may only read and cannot do this, stays open then.
 */
function closable(store: StoreFile, database: Database, guard: Database): WritableStore {
  return {
    store,
    database,
    close() {
      if (isInPlace(store)) guard.close();
      else left.add(guard);
      database.close();
    },
  };
}

/** While it is open, no other connection of this process moves the log into the file when it closes. */
export function openGuard(store: StoreFile): Database {
  const guard = openDatabase(store.path, { readonly: true });
  // From its first read on, it holds a lock.
  readWhenFree(guard, store);
  return guard;
}

/** Makes the file and its folder where they are missing. */
function findOrMake(name: string): StoreFile {
  const path = resolveLinks(name);
  refuseIncomplete(name, path);
  makeFile(name, path);
  // Again: a restore may have moved the file aside before it was made.
  refuseIncomplete(name, path);
  const store = findStoreFile(name);
  if (!store) throw replaced(name);
  return store;
}

/** Refuses a store that cannot be used, before anything writes to it. Returns the version of its schema. */
function checkedVersion(store: StoreFile): number {
  if (statSync(store.path).size === 0) return 0;
  if (existsSync(`${store.path}-journal`)) {
    // SQLite undoes a transaction that a crash has interrupted as soon as somebody reads.
    using database = connect(store);
    readWhenFree(database, store);
  }
  return readUnchanged(store, (database) => refuseUnusable(database, store));
}

/** Gives the owner alone access; SQLite gives its side files the same rights. */
function makeFile(name: string, path: string): void {
  try {
    prepareFolder(path);
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
      const file = join(name, 'petstore.db');
      throw new OperatorError(`${name} is a folder.`, `Name a file in it: --database-url ${file}`);
    }
    if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
    accessSync(dirname(path), constants.W_OK);
    accessSync(path, constants.R_OK | constants.W_OK);
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    const rights = explainRights(name, constants.R_OK | constants.W_OK);
    if (rights) throw rights;
    const { code, message } = error as NodeJS.ErrnoException;
    throw new OperatorError(
      `The store ${name} cannot be written (${code ?? message}).`,
      'Give this user write rights to the folder and the file, or choose another file with --database-url.',
    );
  }
}
