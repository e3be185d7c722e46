import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

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
