import { breakFiles } from './layers.ts';

const seen = new Map<unknown, unknown>();

/** A file that was moved or replaced looks like the one that was there first. */
breakFiles(import.meta.path, 'lstatSync', (path, lstat) => {
  if (!seen.has(path)) seen.set(path, lstat());
  return seen.get(path);
});
