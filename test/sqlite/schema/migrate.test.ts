import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'bun:test';
import { migrate, readPragma } from '../../../src/sqlite/schema/migrate.ts';
import { failureOf } from '../../support/failure.ts';
import { makeSqlitePlace, type SqlitePlace } from '../../support/store-place.ts';

let place: SqlitePlace;
beforeEach(async () => {
  place = await makeSqlitePlace();
});
afterEach(() => place[Symbol.asyncDispose]());

describe('a store that a newer release has migrated since it was opened', () => {
  it('keeps its version', () => {
    using database = new Database(place.path);
    migrate(database);
    database.run('PRAGMA user_version = 99');
    expect(() => migrate(database)).toThrow('has schema version 99');
    expect(readPragma(database, 'user_version')).toBe(99);
  });
});

describe('a store from before the first release', () => {
  it('is refused, and left as it is', async () => {
    using database = new Database(place.path);
    migrate(database);
    database.run('PRAGMA user_version = 3');
    expect(await failureOf(place.open())).toMatchObject({
      message: expect.stringContaining('is not as petstore made it'),
    });
    expect(readPragma(database, 'user_version')).toBe(3);
  });
});
