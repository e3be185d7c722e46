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
import { OperatorError } from '../../error.ts';
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

interface Restore {
  time: string;
  /** Of the file that it replaces. */
  inode: bigint;
}

function exchange(incoming: string, { path, inode }: StoreFile): string | undefined {
  const restore = { time: freeTime(path), inode };
  keepOwner(path, incoming);
  renameSync(incoming, restoredPath(path, restore));
  try {
    syncPath(dirname(path));
    finish(path, restore);
  } catch (error) {
    undo(path, restore);
    throw error;
  }
  const kept = replacedPath(path, restore);
  return existsSync(kept) ? kept : undefined;
}

/** A restore by root must not lock out the user of the service. */
function keepOwner(path: string, incoming: string): void {
  const { uid, gid } = statSync(path);
  if (statSync(incoming).uid !== uid) chownSync(incoming, uid, gid);
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
        if (restore && restore.inode !== file.inode) throw foreignRestore(path, restore);
        removeAbandoned(path);
        if (restore) finish(path, restore);
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

/** An earlier attempt may have done any of the steps. */
function finish(path: string, restore: Restore): void {
  const kept = replacedPath(path, restore);
  if (statSync(path).size > 0 && !existsSync(kept)) linkSync(path, kept);
  for (const suffix of sideFiles) {
    if (existsSync(`${path}${suffix}`)) renameSync(`${path}${suffix}`, `${kept}${suffix}`);
  }
  renameSync(restoredPath(path, restore), path);
  syncPath(dirname(path));
}

/** Puts everything back, so that a restore that failed has changed nothing. */
function undo(path: string, restore: Restore): void {
  const kept = replacedPath(path, restore);
  for (const suffix of sideFiles) {
    if (existsSync(`${kept}${suffix}`)) renameSync(`${kept}${suffix}`, `${path}${suffix}`);
  }
  rmSync(kept, { force: true });
  rmSync(restoredPath(path, restore), { force: true });
}

function restoredPath(path: string, { time, inode }: Restore): string {
  return `${path}.restored-${time}-${inode}`;
}

function replacedPath(path: string, { time }: Pick<Restore, 'time'>): string {
  return `${path}.replaced-${time}`;
}

/** Finds a restore that is not finished. */
function findRestore(path: string): Restore | undefined {
  const start = `${basename(path)}.restored-`;
  for (const name of readdirSync(dirname(path))) {
    const [, time, inode] = /^(\d{8}T\d{6}Z(?:\.\d+)?)-(\d+)$/.exec(name.slice(start.length)) ?? [];
    if (name.startsWith(start) && time !== undefined && inode !== undefined)
      return { time, inode: BigInt(inode) };
  }
  return undefined;
}

/** Such as after a copy of the whole folder: the store that is here now may lack its log. */
function foreignRestore(path: string, restore: Restore): OperatorError {
  return new OperatorError(
    `${restoredPath(path, restore)} is left from the restore of another file.`,
    'Remove it, and run petstore restore again.',
  );
}

/** The time names a restore. Another one may have happened in the same second. */
function freeTime(path: string): string {
  const now = new Date().toISOString().replace(/\.\d+|[-:]/g, '');
  let time = now;
  for (let count = 2; existsSync(replacedPath(path, { time })); count++) time = `${now}.${count}`;
  return time;
}

/** Makes a file to lock where there was none, so that a service that starts now waits. */
function makeEmpty({ name, path }: Target): void {
  try {
    closeSync(openSync(path, 'ax', 0o600));
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? inUse(name) : error;
  }
}
