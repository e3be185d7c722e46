import { describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import { putInPlace } from '../../src/sqlite/opening/put-in-place.ts';
import { findStoreFile, stateOf } from '../../src/sqlite/opening/store-file.ts';
import { makeFolder, runCli } from '../process.ts';
import { hashesOf } from '../support/file-hashes.ts';

describe('a restore that fails before its copy has its name', () => {
  it('leaves no second name of the store behind', async () => {
    using folder = makeFolder();
    const name = folder.database;
    await runCli(['seed', '--count', '2', '--database-url', name]);
    const before = hashesOf(folder.path);
    const target = { name, path: name, state: stateOf(findStoreFile(name)!) };
    expect(() => putInPlace(join(folder.path, 'missing.db'), target)).toThrow('ENOENT');
    expect(hashesOf(folder.path)).toEqual(before);
  });
});
