import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';

/** Makes the folder of an absolute path, for its owner alone. */
export function prepareFolder(path: string): void {
  const folder = dirname(path);
  const first = mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  // The name of each new folder is in the one above it.
  for (let made = folder; made.length >= first.length; made = dirname(made)) syncPath(dirname(made));
}

/** A new name survives a power cut only when the folder that holds it is synced too. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
