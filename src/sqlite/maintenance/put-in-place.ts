import {
  chownSync,
  closeSync,
  existsSync,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname } from 'node:path';
import { OperatorError } from '../../domain/error.ts';
import { findStoreFile, sideFiles, stateOf, syncPath, type StoreFile } from '../opening/store-file.ts';
import { inUse, removeAbandoned, whileLocked } from './lock-store.ts';

export interface Target {
  name: string;
  path: string;
  /** When it was examined; undefined when there was no store. */
  state: string | undefined;
}

/**
 * Gives a verified copy the name of the store, and moves what was there aside as it is. Returns where that is now. A file
 * and its log cannot be replaced in one step, so the copy is first renamed to `.restored-…`. From then on, whoever
 * writes to the store next finishes a restore that a crash interrupted.
 */
export function putInPlace(incoming: string, target: Target): string | undefined {
  const { name, path, state } = target;
  const isNew = state === undefined;
  if (isNew) makeEmpty(target);
  try {
    const file = findStoreFile(name);
    if (!file) throw inUse(name);
    return whileLocked(file, () => {
      if (!isNew && stateOf(file) !== state) throw inUse(name);
      removeAbandoned(path, dirname(incoming));
      return exchange(incoming, file);
    });
  } catch (error) {
    // Unless a service has made it its store meanwhile.
    if (isNew && statSync(path, { throwIfNoEntry: false })?.size === 0) rmSync(path);
    throw error;
  }
}

/** The files of one restore, all of them beside the store. */
interface Restore {
  /** The copy, until it gets the name of the store. */
  restored: string;
  /** Where the replaced store goes. */
  kept: string;
  /** The inode of the replaced store. */
  inode: bigint;
}

function exchange(incoming: string, file: StoreFile): string | undefined {
  const { path } = file;
  const restore = beginRestore(file);
  // A restore by root must not lock out the user of the service.
  const { uid, gid } = statSync(path);
  if (statSync(incoming).uid !== uid) chownSync(incoming, uid, gid);
  renameSync(incoming, restore.restored);
  try {
    syncPath(dirname(path));
    finish(path, restore);
  } catch (error) {
    undo(path, restore);
    throw error;
  }
  syncPath(dirname(path));
  return existsSync(restore.kept) ? restore.kept : undefined;
}

const waitMs = 5000;

/** Finishes a restore that was interrupted, or waits for one that is under way. */
export function finishRestore(name: string, path: string): void {
  if (!existsSync(path)) return;
  const deadline = performance.now() + waitMs;
  while (findRestore(path)) {
    const file = findStoreFile(name);
    if (!file) return;
    try {
      whileLocked(file, () => {
        const restore = findRestore(path);
        if (!restore) return;
        if (restore.inode !== file.inode) throw foreignRestore(restore);
        removeAbandoned(path);
        finish(path, restore);
        syncPath(dirname(path));
      });
    } catch (error) {
      if (performance.now() > deadline) throw error;
      Bun.sleepSync(1);
    }
  }
}

/** For commands that only read. */
export function refuseHalfRestored(name: string, path: string): void {
  if (!findRestore(path)) return;
  throw new OperatorError(
    `A restore of ${name} is under way or was interrupted.`,
    'Wait for it. If it was interrupted, the next start of the service finishes it.',
  );
}

/** An earlier attempt may have done any of the steps. The last one completes the restore. */
function finish(path: string, { restored, kept }: Restore): void {
  if (statSync(path).size > 0 && !existsSync(kept)) linkSync(path, kept);
  for (const suffix of sideFiles) {
    if (existsSync(`${path}${suffix}`)) renameSync(`${path}${suffix}`, `${kept}${suffix}`);
  }
  renameSync(restored, path);
}

/** Puts everything back, so that a restore that failed has changed nothing. */
function undo(path: string, { restored, kept }: Restore): void {
  for (const suffix of sideFiles) {
    if (existsSync(`${kept}${suffix}`)) renameSync(`${kept}${suffix}`, `${path}${suffix}`);
  }
  rmSync(kept, { force: true });
  rmSync(restored, { force: true });
}

/** Names a restore after its time. Another one may have happened in the same second. */
function beginRestore({ path, inode }: StoreFile): Restore {
  const now = new Date().toISOString().replace(/\.\d+|[-:]/g, '');
  let restore = restoreOf(path, now, inode);
  for (let count = 2; existsSync(restore.kept); count++) restore = restoreOf(path, `${now}.${count}`, inode);
  return restore;
}

/** Finds a restore that is not finished. */
function findRestore(path: string): Restore | undefined {
  const start = `${basename(path)}.restored-`;
  for (const name of readdirSync(dirname(path))) {
    if (!name.startsWith(start)) continue;
    const [, time, inode] = /^(\d{8}T\d{6}Z(?:\.\d+)?)-(\d+)$/.exec(name.slice(start.length)) ?? [];
    if (time !== undefined && inode !== undefined) return restoreOf(path, time, BigInt(inode));
  }
  return undefined;
}

function restoreOf(path: string, time: string, inode: bigint): Restore {
  return { restored: `${path}.restored-${time}-${inode}`, kept: `${path}.replaced-${time}`, inode };
}

/** Such as after a copy of the whole folder: the store that is here now may lack its log. */
function foreignRestore({ restored }: Restore): OperatorError {
  return new OperatorError(
    `${restored} is left from the restore of another file.`,
    'Remove it, and run petstore restore again.',
  );
}

/** Makes a file to lock where there was none, so that a service that starts now waits. */
function makeEmpty({ name, path }: Target): void {
  try {
    closeSync(openSync(path, 'ax', 0o600));
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? inUse(name) : error;
  }
}
