import {
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
import { syncPath } from './folders.ts';
import { inUse, whileLocked } from './lock-store.ts';
import { findStoreFile, stateOf } from './store-file.ts';

export interface Target {
  name: string;
  path: string;
  /** As it was examined; undefined when there was no store. */
  state: string | undefined;
}

/**
 * Gives a verified copy the name of the store, and moves what was there aside as it is. Two files cannot be exchanged at
 * once: from the moment the copy is called "restored", whoever opens the store finishes what a crash has interrupted.
 * Returns where the replaced store is now.
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
      return exchange(incoming, path);
    });
  } catch (error) {
    // Unless a service was faster, and has made it its store.
    if (isNew && statSync(path, { throwIfNoEntry: false })?.size === 0) rmSync(path);
    throw error;
  }
}

function exchange(incoming: string, path: string): string | undefined {
  const time = freeTime(path);
  renameSync(incoming, `${path}${restored}${time}`);
  syncPath(dirname(path));
  finish(path, time);
  return existsSync(replacedPath(path, time)) ? replacedPath(path, time) : undefined;
}

const waitMs = 5000;

/** Finishes a restore that was interrupted half-way, or waits for one that is under way. */
export function finishRestore(name: string, path: string): void {
  const deadline = performance.now() + waitMs;
  while (findTime(path) !== undefined) {
    const file = findStoreFile(name);
    if (!file) return;
    try {
      whileLocked(file, () => {
        const time = findTime(path);
        if (time !== undefined) finish(path, time);
      });
    } catch (error) {
      if (performance.now() > deadline) throw error;
      Bun.sleepSync(1);
    }
  }
}

/** Each step may have been done before. */
function finish(path: string, time: string): void {
  const kept = replacedPath(path, time);
  if (statSync(path).size > 0 && !existsSync(kept)) linkSync(path, kept);
  for (const suffix of ['-wal', '-shm']) {
    if (existsSync(`${path}${suffix}`)) renameSync(`${path}${suffix}`, `${kept}${suffix}`);
  }
  renameSync(`${path}${restored}${time}`, path);
  syncPath(dirname(path));
}

const restored = '.restored-';

function replacedPath(path: string, time: string): string {
  return `${path}.replaced-${time}`;
}

/** The time of a restore that is not finished. */
function findTime(path: string): string | undefined {
  const start = `${basename(path)}${restored}`;
  return readdirSync(dirname(path))
    .find((name) => name.startsWith(start))
    ?.slice(start.length);
}

/** Names what belongs to one restore; another one may have happened in the same second. */
function freeTime(path: string): string {
  const now = new Date().toISOString().replace(/\.\d+|[-:]/g, '');
  let time = now;
  for (let count = 2; existsSync(replacedPath(path, time)); count++) time = `${now}-${count}`;
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
