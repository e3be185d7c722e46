import { afterEach, beforeEach, expect } from 'bun:test';
import { join } from 'node:path';
import { holdsFrames } from '../../../src/stores/sqlite/file.ts';
import { failureOf } from '../failure.ts';
import { hashesOf } from '../file-hashes.ts';
import { makeFolder, runCli, type CliResult, type Folder } from './process.ts';

/** A folder for each test of a file, and commands that run in it on the store `petstore.db`. */
export interface StoreFolder {
  readonly path: string;
  readonly store: string;
  inFolder: (name: string) => string;
  run: (...args: string[]) => Promise<CliResult>;
  /** Expects a failure with this message that leaves every file as it was, but for the log of the store. */
  expectRefused: (message: string | RegExp, use: () => Promise<unknown>) => Promise<void>;
}

export function useStoreFolder(): StoreFolder {
  let folder: Folder;
  beforeEach(() => {
    folder = makeFolder();
  });
  afterEach(() => folder[Symbol.dispose]());

  const run: StoreFolder['run'] = (...args) =>
    runCli([...args, '--database-url', folder.database], {
      cwd: folder.path,
      env: { API_KEYS: 'k' },
    });
  return {
    get path() {
      return folder.path;
    },
    get store() {
      return folder.database;
    },
    inFolder: (name) => join(folder.path, name),
    run,
    async expectRefused(message, use) {
      const hasLog = holdsFrames(`${folder.database}-wal`);
      // A program that opens a store may make or remove its side files, and moves its log into the file.
      const others = () =>
        Object.entries(hashesOf(folder.path)).filter(
          ([name]) => !/^petstore\.db-(?:wal|shm)$/.test(name) && !(hasLog && name === 'petstore.db'),
        );
      const before = others();
      expect(String(await failureOf(use()))).toMatch(message);
      expect(others()).toEqual(before);
    },
  };
}
