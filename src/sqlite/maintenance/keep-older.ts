import { Database } from 'bun:sqlite';
import { basename, dirname } from 'node:path';
import { removeLeftovers } from '../../system/leftovers.ts';
import { noReport } from '../../domain/progress.ts';
import { readPragma } from '../migrate.ts';
import type { StoreFile } from '../opening/store-file.ts';
import { copyStore } from './copy-store.ts';

/**
 * Copies a store that is about to be migrated, so that its operator can go back. Returns the copy's path. There is one
 * for each version: a start that fails again and again must not fill the disk. If another process has migrated the store
 * meanwhile, the copy that it made stays, and this returns undefined.
 */
export function keepOlder(store: StoreFile, version: number): string | undefined {
  const file = `${store.path}.schema-${version}`;
  const remedy = 'Make room, or make a backup elsewhere and run petstore migrate --no-copy.';
  removeLeftovers(dirname(file), new RegExp(`^${RegExp.escape(basename(file))}\\.(\\d+)\\.partial$`));
  let isKept = false;
  const isWanted = (copy: string): boolean => (isKept = versionOf(copy) === version);
  copyStore(store, file, noReport, { remedy, isWanted });
  return isKept ? file : undefined;
}

function versionOf(path: string): number {
  using database = new Database(path, { readonly: true });
  return readPragma(database, 'user_version');
}
