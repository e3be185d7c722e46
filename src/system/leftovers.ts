import { randomBytes } from 'node:crypto';
import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** The name of a file until it is finished. No other process has it, not even one in another container. */
export function partialOf(path: string): string {
  return `${path}.${randomBytes(6).toString('hex')}.partial`;
}

/** The ends of these names, and of what SQLite keeps beside such a file. */
export const partialForm = String.raw`\.[0-9a-f]+\.partial(?:-journal|-wal|-shm)?`;

const leftAfterMs = 86_400_000;

/**
 * Removes files and folders that are named like the path, with an end of this form, and are a day old: whoever made them
 * was killed. Pass 0 where a lock keeps everybody else from making them.
 */
export function removeLeftovers(path: string, endForm: string, olderThanMs = leftAfterMs): void {
  const folder = dirname(resolve(path));
  const form = new RegExp(`^${RegExp.escape(basename(path))}${endForm}$`);
  for (const name of readdirSync(folder)) {
    const leftover = join(folder, name);
    if (form.test(name) && isLeftover(leftover, olderThanMs))
      rmSync(leftover, { recursive: true, force: true });
  }
}

export function isLeftover(path: string, olderThanMs = leftAfterMs): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats !== undefined && Date.now() - stats.mtimeMs > olderThanMs;
}
