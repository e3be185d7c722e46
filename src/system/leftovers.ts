import { randomBytes } from 'node:crypto';
import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** The name of a file until it is finished. No other process has it, not even one in another container. */
export function partialOf(path: string): string {
  return `${path}.${randomBytes(6).toString('hex')}.partial`;
}

/** The ends of these names, and of what SQLite keeps beside such a file. */
export const partialForm = String.raw`\.[0-9a-f]+\.partial(?:-journal|-wal|-shm)?`;

const leftAfterMs = 86_400_000;

/** Removes files and folders of this form that are a day old: whoever made them was killed. */
export function removeLeftovers(folder: string, form: RegExp): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (form.test(name) && isLeftover(path)) rmSync(path, { recursive: true, force: true });
  }
}

export function isLeftover(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found !== undefined && Date.now() - found.mtimeMs > leftAfterMs;
}
