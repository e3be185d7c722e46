import { randomBytes } from 'node:crypto';
import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** The temporary name of an unfinished file. It is unique, even across containers. */
export function partialOf(path: string): string {
  return `${path}.${randomBytes(6).toString('hex')}.partial`;
}

/** Matches the suffix of these names, and of the files that SQLite keeps beside them. */
export const partialForm = String.raw`\.[0-9a-f]+\.partial(?:-journal|-wal|-shm)?`;

const leftAfterMs = 86_400_000;

/**
 * Removes files and folders named like the path plus a suffix of this form, if they are a day old: their process was
 * killed. Pass 0 if a lock keeps other processes from creating them.
 */
export function removeLeftovers(path: string, endForm: string, olderThanMs = leftAfterMs): void {
  const folder = dirname(resolve(path));
  const form = new RegExp(`^${RegExp.escape(basename(path))}${endForm}$`);
  for (const name of readdirSync(folder)) {
    if (!form.test(name)) continue;
    const leftover = join(folder, name);
    const stats = lstatSync(leftover, { throwIfNoEntry: false });
    if (stats && Date.now() - stats.mtimeMs > olderThanMs) rmSync(leftover, { recursive: true, force: true });
  }
}
