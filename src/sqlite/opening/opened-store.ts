/**
 * How a store is opened: `store-file.ts` finds the file behind the operator's name, `check-store.ts` reads it without
 * changing a byte, and only then `connect.ts` opens a connection that may write. Whatever refuses a store leaves it as it was. While it is in use, `store-watch.ts` checks that the name
 * still leads to the same file.
 */

import type { Database } from 'bun:sqlite';
import { accessSync, closeSync, constants, existsSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { OperatorError } from '../../domain/error.ts';
import { finishRestore, refuseHalfRestored } from '../maintenance/put-in-place.ts';
import { damaged, explain, explainOpening, noStore, replaced } from '../errors.ts';
import type { MigrationOptions } from '../../domain/migration.ts';
import { keepOlder } from '../maintenance/keep-older.ts';
import { isOlder, migrate, refuseOlderSchema } from '../migrate.ts';
import { refuseOldSqlite, refuseUnusable } from './check-store.ts';
import { connect, makeDurable, readWhenFree, refuseReplaced } from './connect.ts';
import { openReadOnly, type ReadOnlyStore } from './read-only.ts';
import { explainRights } from './rights.ts';
import {
  findStoreFile,
  holdsFrames,
  isSameFile,
  linksOf,
  prepareFolder,
  resolveLinks,
  withLog,
  type StoreFile,
} from './store-file.ts';

/** Opens a store for reading and writing: makes it where it is missing, checks it and brings its schema up to date. */
export function openWritable(
  name: string,
  { keepsOlder = true, onMigrated }: MigrationOptions = {},
): { store: StoreFile; database: Database } {
  refuseOldSqlite();
  const store = openOrCreate(name);
  const version = refuseUnusable(store);
  // Before there is a connection: reading the store's files by another way would drop its locks.
  const keptAs = keepsOlder && isOlder(version) ? keepOlder(store, version) : undefined;
  let database: Database | undefined;
  try {
    database = connect(store);
    readWhenFree(database, store);
    makeDurable(database);
    const migration = migrate(database);
    // From here on, a restore finds the store in use.
    refuseReplaced(store);
    if (migration) onMigrated?.({ ...migration, ...(keptAs !== undefined && { keptAs }) });
    return { store: withLog(store), database };
  } catch (error) {
    database?.close();
    throw explainOpening(error, store);
  }
}

/** Opens a store that exists and is up to date, and changes no byte of it. */
export function openForReading(name: string): ReadOnlyStore {
  const store = openExisting(name);
  if (!store) throw noStore(name);
  refuseUnusable(store);
  let opened: ReadOnlyStore | undefined;
  try {
    opened = openReadOnly(store);
    refuseOlderSchema(opened.database, name);
    return opened;
  } catch (error) {
    opened?.[Symbol.dispose]();
    throw explainOpening(error, store);
  }
}

/** Finds a store that exists; undefined when there is none. */
export function openExisting(name: string): StoreFile | undefined {
  const file = findStoreFile(name);
  if (!file) return undefined;
  refuseHalfRestored(name, file.path);
  return openStore(file);
}

/** The same, but makes the file and its folder where they are missing. */
export function openOrCreate(name: string): StoreFile {
  const path = resolveLinks(name);
  const isNew = makeFile(name, path);
  try {
    // First, because the file may be another one afterwards.
    finishRestore(name, path);
    const file = findStoreFile(name);
    if (!file) throw replaced(name);
    return openStore(file);
  } catch (error) {
    // Such as beside a log that has lost its file.
    if (isNew && statSync(path, { throwIfNoEntry: false })?.size === 0) rmSync(path);
    throw explain(error, name);
  }
}

/** Refuses a log that has lost its file. */
export function openStore(file: StoreFile): StoreFile {
  try {
    refuseLogElsewhere(file);
    // The log first: SQLite writes the first page of a file before it begins a log, but removes the log of an empty file.
    if (holdsFrames(`${file.path}-wal`) && statSync(file.path).size === 0) throw damaged(file.name);
    return file;
  } catch (error) {
    throw explain(error, file.name);
  }
}

/** A file that was moved, with a link left in its place, has lost its log unless that was moved as well. */
function refuseLogElsewhere({ name, path }: StoreFile): void {
  const log = linksOf(name)
    .map((link) => `${link}-wal`)
    .find((file) => holdsFrames(file) && !isSameFile(file, `${path}-wal`));
  if (log === undefined) return;
  throw new OperatorError(
    `${log} holds the newest commits of this store, which was moved to ${path} without it.`,
    `Move it there as well: mv ${log} ${path}-wal`,
  );
}

/** Gives the owner alone access; SQLite gives its side files the same rights. False when the file exists already. */
function makeFile(name: string, path: string): boolean {
  try {
    prepareFolder(path);
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
      const file = join(name, 'petstore.db');
      throw new OperatorError(`${name} is a folder.`, `Name a file in it: --database-url ${file}`);
    }
    const isNew = !existsSync(path);
    if (isNew) closeSync(openSync(path, 'a', 0o600));
    accessSync(dirname(path), constants.W_OK);
    accessSync(path, constants.R_OK | constants.W_OK);
    return isNew;
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
