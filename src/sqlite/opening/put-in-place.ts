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
import { syncPath } from './folders.ts';
import { inUse, whileLocked } from './lock-store.ts';
import { findStoreFile, stateOf, type StoreFile } from './store-file.ts';

export interface Target {
  name: string;
  path: string;
  /** As it was examined; undefined when there was no store. */
  state: string | undefined;
}

/**
 * Gives a verified copy the name of the store, and moves what was there aside as it is. A file and its log cannot be
 * exchanged at once: from the moment the copy is called "restored", whoever writes to the store next finishes what a
 * crash has interrupted. Returns where the replaced store is now.
 */
export function putInPlace(incoming: string, target: Target): string | undefined {
  const { name, path, state } = target;
  const isNew = state === undefined;
  if (isNew) makeEmpty(target);
  try {
    const file = findStoreFile(name);
    if (!file) throw inUse(name);
    return whileLocked(file, () => {
      // Somebody has used it since it was examined.
      if (!isNew && stateOf(file) !== state) throw inUse(name);
      return exchange(incoming, file);
    });
  } catch (error) {
    // Unless a service was faster, and has made it its store.
    if (isNew && statSync(path, { throwIfNoEntry: false })?.size === 0) rmSync(path);
    throw error;
  }
}

/** One restore: its time, and the file that it replaces. */
interface Restore {
  time: string;
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

/** A restore by root must not lock the user of the service out. */
function keepOwner(path: string, incoming: string): void {
  const { uid, gid } = statSync(path);
  if (statSync(incoming).uid !== uid) chownSync(incoming, uid, gid);
}

const waitMs = 5000;

/** Finishes a restore that was interrupted half-way, or waits for one that is under way. */
export function finishRestore(name: string, path: string): void {
  const deadline = performance.now() + waitMs;
  while (findRestore(path)) {
    const file = findStoreFile(name);
    if (!file) return;
    try {
      whileLocked(file, () => {
        const restore = findRestore(path);
        if (restore && restore.inode !== file.inode) throw strangeRestore(path, restore);
        if (restore) finish(path, restore);
      });
    } catch (error) {
      if (performance.now() > deadline) throw error;
      Bun.sleepSync(1);
    }
  }
}

/** For those who only read. */
export function refuseHalfRestored(name: string, path: string): void {
  if (!findRestore(path)) return;
  throw new OperatorError(
    `A restore of ${name} is under way or was interrupted. Wait for it; the next start of the service finishes it.`,
  );
}

const sideFiles = ['-wal', '-shm', '-journal'];

/** Each step may have been done before. */
function finish(path: string, restore: Restore): void {
  const kept = replacedPath(path, restore);
  if (statSync(path).size > 0 && !existsSync(kept)) linkSync(path, kept);
  for (const suffix of sideFiles) {
    if (existsSync(`${path}${suffix}`)) renameSync(`${path}${suffix}`, `${kept}${suffix}`);
  }
  renameSync(restoredPath(path, restore), path);
  syncPath(dirname(path));
}

/** Puts back what was moved, so that a restore that failed has changed nothing. */
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

/** A restore that is not finished. */
function findRestore(path: string): Restore | undefined {
  const start = `${basename(path)}.restored-`;
  for (const name of readdirSync(dirname(path))) {
    const [, time, inode] = /^(\d{8}T\d{6}Z(?:\.\d+)?)-(\d+)$/.exec(name.slice(start.length)) ?? [];
    if (name.startsWith(start) && time !== undefined && inode !== undefined)
      return { time, inode: BigInt(inode) };
  }
  return undefined;
}

/** Such as after a copy of the whole folder: what is here may lack its log. */
function strangeRestore(path: string, restore: Restore): OperatorError {
  return new OperatorError(
    `${restoredPath(path, restore)} is left from the restore of another file. ` +
      'Run petstore restore again for this one, and remove what is left.',
  );
}

/** Names what belongs to one restore; another one may have happened in the same second. */
function freeTime(path: string): string {
  const now = new Date().toISOString().replace(/\.\d+|[-:]/g, '');
  let time = now;
  for (let count = 2; existsSync(replacedPath(path, { time })); count++) time = `${now}.${count}`;
  return time;
}

/** A service that is started now has something to wait for, even where no store was. */
function makeEmpty({ name, path }: Target): void {
  try {
    closeSync(openSync(path, 'ax', 0o600));
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? inUse(name) : error;
  }
}
