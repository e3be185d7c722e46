import { lstatSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRunning } from './leftovers.ts';

type Purpose = 'sandbox' | 'rehearsal';

/** Makes a folder, for this user alone, whose name tells which process it belongs to. */
export function makeTemporaryFolder(purpose: Purpose): string {
  return mkdtempSync(join(tmpdir(), `${prefixOf(purpose)}${process.pid}-`));
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

/** Removes what processes left behind that were killed. Another user's folders are not ours to remove. */
export function removeAbandonedFolders(purpose: Purpose): void {
  const prefix = prefixOf(purpose);
  for (const name of namesIn(tmpdir())) {
    const [, pid] = name.startsWith(prefix) ? (/^(\d+)-/.exec(name.slice(prefix.length)) ?? []) : [];
    if (pid === undefined || isRunning(Number(pid))) continue;
    const folder = join(tmpdir(), name);
    const found = lstatSync(folder, { throwIfNoEntry: false });
    if (!found?.isDirectory() || found.uid !== process.getuid?.()) continue;
    try {
      removeFolder(folder);
    } catch {
      // Another process removes it at the same time, or the next one will.
    }
  }
}

function prefixOf(purpose: Purpose): string {
  return `petstore-${purpose}-${processSpace()}-`;
}

/** A temporary folder may be one that everybody writes to and nobody lists. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Processes of two containers may share a temporary folder, but not their numbers. Linux names the space of the numbers. */
function processSpace(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
  } catch {
    return '0';
  }
}
