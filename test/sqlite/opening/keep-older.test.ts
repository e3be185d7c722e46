import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { readdirSync, statSync } from 'node:fs';
import { keepOlder } from '../../../src/sqlite/opening/copy-store.ts';
import { migrate, readPragma } from '../../../src/sqlite/schema/migrate.ts';
import { findExisting } from '../../../src/sqlite/opening/store-file.ts';
import { makeFolder } from '../../support/process/process.ts';

const folder = makeFolder();
const copy = `${folder.database}.schema-4`;

/** Brings the store to a version, as another process does. */
function migrateTo(version?: number): void {
  using database = new Database(folder.database);
  migrate(database, version);
}

function versionOf(path: string): number {
  using database = new Database(path, { readonly: true });
  return readPragma(database, 'user_version');
}

beforeAll(() => migrateTo(4));
afterAll(() => folder[Symbol.dispose]());

describe('the copy of a store that is about to be migrated', () => {
  it('holds the store as it was, for its owner alone', () => {
    expect(keepOlder(findExisting(folder.database)!, 4)).toBe(copy);
    expect(versionOf(copy)).toBe(4);
    expect(statSync(copy).mode & 0o777).toBe(0o600);
  });

  it('stays as it is if another process has migrated the store meanwhile', () => {
    migrateTo();
    expect(keepOlder(findExisting(folder.database)!, 4)).toBeUndefined();
    expect(versionOf(copy)).toBe(4);
    expect(readdirSync(folder.path).filter((name) => name.endsWith('.partial'))).toEqual([]);
  });
});
