import { accessSync, closeSync, constants, existsSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { OperatorError } from '../../error.ts';
import { damagedUnchanged, explain, replaced } from '../errors.ts';
import { prepareFolder } from './folders.ts';
import { checkLog } from '../wal/check.ts';
import { headerBytes } from '../wal/frames.ts';
import { finishRestore, refuseHalfRestored } from './put-in-place.ts';
import { findStoreFile, isInPlace, isSameFile, linksOf, resolveLinks, type StoreFile } from './store-file.ts';

/** A store whose log was checked before SQLite sees it. Every connection is opened from one. */
export interface OpenedStore extends StoreFile {
  /** Pages that are neither in the file nor in the log. Only unused ones may be missing. */
  readonly missingPages: number;
}

/** Opens a store that exists; undefined when there is none. */
export function openExisting(name: string): OpenedStore | undefined {
  const file = findStoreFile(name);
  if (!file) return undefined;
  refuseHalfRestored(name, file.path);
  return openStore(file);
}

/** Opens a store, making its file and its folder where they are missing. */
export function openOrCreate(name: string): OpenedStore {
  const path = resolveLinks(name);
  const isNew = makeFile(name, path);
  finishRestoreOf(name);
  const file = findStoreFile(name);
  if (!file) throw replaced(name);
  try {
    return openStore(file);
  } catch (error) {
    // A log that has lost its file is refused, and left alone as it was.
    if (isNew && statSync(path, { throwIfNoEntry: false })?.size === 0) rmSync(path);
    throw error;
  }
}

/** Refuses a damaged log, because SQLite would repair it by cutting it off at the damage. */
export function openStore(file: StoreFile): OpenedStore {
  try {
    refuseLogElsewhere(file);
    const { isDamaged, missingPages } = checkLog(file.path);
    if (isDamaged) throw damagedUnchanged(file.name);
    return { ...file, missingPages };
  } catch (error) {
    throw explain(error, file.name);
  }
}

/** A file that was moved, a link left in its place, has lost its log unless that was moved as well. */
function refuseLogElsewhere({ name, path }: StoreFile): void {
  const log = linksOf(name)
    .map((link) => `${link}-wal`)
    .find((file) => holdsCommits(file) && !isSameFile(file, `${path}-wal`));
  if (log === undefined) return;
  throw new OperatorError(
    `${log} holds the newest commits of this store, which was moved to ${path} without it. ` +
      `Move it there as well: mv ${log} ${path}-wal`,
  );
}

function holdsCommits(log: string): boolean {
  return (statSync(log, { throwIfNoEntry: false })?.size ?? 0) > headerBytes;
}

export function refuseReplaced(store: StoreFile): void {
  if (!isInPlace(store)) throw replaced(store.name);
}

/** Call before the file is found: it may be another one afterwards. */
export function finishRestoreOf(name: string): void {
  const path = resolveLinks(name);
  try {
    if (existsSync(path)) finishRestore(name, path);
  } catch (error) {
    throw explain(error, name);
  }
}

/**
 * Makes the folder and the file readable by their owner alone; SQLite gives its side files the same rights. False when
 * there is a file.
 */
function makeFile(name: string, path: string): boolean {
  try {
    prepareFolder(path);
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw isFolder(name);
    const isNew = !existsSync(path);
    if (isNew) closeSync(openSync(path, 'a', 0o600));
    accessSync(dirname(path), constants.W_OK);
    accessSync(path, constants.R_OK | constants.W_OK);
    return isNew;
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    throw new OperatorError(
      `The store ${name} cannot be written (${code ?? message}). ` +
        'Give this user write rights to the folder and the file, or choose another file with --database-url.',
    );
  }
}

function isFolder(name: string): OperatorError {
  return new OperatorError(
    `${name} is a folder. Name a file in it: --database-url ${join(name, 'petstore.db')}`,
  );
}
