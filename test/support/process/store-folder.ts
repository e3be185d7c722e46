import { afterEach, beforeEach, expect } from 'bun:test';
import { join } from 'node:path';
import { hashesOf } from '../file-hashes.ts';
import { makeFolder, runCli, type CliResult, type Folder } from './process.ts';

/** A folder for each test of a file, and commands that run in it on the store `petstore.db`. */
export interface StoreFolder {
  readonly path: string;
  readonly store: string;
  inFolder: (name: string) => string;
  run: (...args: string[]) => Promise<CliResult>;
  /** Expects that a command fails with this message and leaves every file of the folder as it was. */
  expectRefused: (message: string | RegExp, ...args: string[]) => Promise<void>;
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
      env: { PORT: '0', API_KEYS: 'k' },
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
    async expectRefused(message, ...args) {
      const before = hashesOf(folder.path);
      const { status, stdout, stderr } = await run(...args);
      expect(`${stdout}${stderr}`).toMatch(message);
      expect(status).not.toBe(0);
      expect(hashesOf(folder.path)).toEqual(before);
    },
  };
}
