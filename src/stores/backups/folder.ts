import { copyFileSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { explain } from '../sqlite/errors.ts';
import { syncPath, writeWhole } from '../../system/files.ts';
import { partialForm, removeLeftovers } from '../../system/leftovers.ts';
import { noPlace, type BackupPlace } from './place.ts';

/** A local folder. It is never created, because a missing folder may mean that a disk is not mounted. */
export function openFolder(name: string): BackupPlace {
  if (!statSync(name, { throwIfNoEntry: false })?.isDirectory()) throw noPlace(name);
  const pathOf = (file: string): string => join(name, file);
  const explained = <Result>(work: () => Result): Result => {
    try {
      return work();
    } catch (error) {
      throw explain(error, name);
    }
  };
  return {
    name,
    async list() {
      return explained(() => {
        const files = readdirSync(name).map(
          (file) => [file, statSync(pathOf(file), { throwIfNoEntry: false })] as const,
        );
        return new Map(files.flatMap(([file, found]) => (found?.isFile() ? [[file, found.size]] : [])));
      });
    },
    async add(file, _store, make) {
      explained(() => removeLeftovers(pathOf('petstore-'), `.*${partialForm}`));
      // The copy is written in place. It does not count until it has a manifest.
      return make(pathOf(file));
    },
    async write(file, text) {
      explained(() => writeWhole(pathOf(file), text, 0o600));
    },
    async read(file) {
      return explained(() => readFileSync(pathOf(file), 'utf8'));
    },
    async fetch(file, path) {
      explained(() => copyFileSync(pathOf(file), path));
    },
    async remove(file) {
      explained(() => {
        rmSync(pathOf(file), { force: true });
        syncPath(name);
      });
    },
  };
}
