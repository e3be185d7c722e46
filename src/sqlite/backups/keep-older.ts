import { basename, dirname } from 'node:path';
import { removeLeftovers } from '../../leftovers.ts';
import { noReport } from '../../progress.ts';
import type { OpenedStore } from '../opening/opened-store.ts';
import { copyStore } from './copy-store.ts';

/**
 * Copies a store that is about to be migrated, so that its operator can go back. Returns the copy's path. There is one
 * for each version: a start that fails again and again must not fill the disk.
 */
export function keepOlder(store: OpenedStore, version: number): string {
  const file = `${store.path}.schema-${version}`;
  const remedy = 'Make room, or make a backup elsewhere and run petstore migrate --no-copy.';
  removeLeftovers(dirname(file), new RegExp(`^${RegExp.escape(basename(file))}\\.(\\d+)\\.partial$`));
  copyStore(store, file, noReport, remedy);
  return file;
}
