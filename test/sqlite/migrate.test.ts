import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'bun:test';
import { issueKey } from '../../src/domain/api-key.ts';
import { noReport } from '../../src/domain/progress.ts';
import { backUpSqlite } from '../../src/sqlite/opening/copy-store.ts';
import { inspectSqlite } from '../../src/sqlite/maintenance/inspect.ts';
import { migrateSqliteBack } from '../../src/sqlite/maintenance/migrate-back.ts';
import { migrate, readPragma } from '../../src/sqlite/migrate.ts';
import { failureOf } from '../support/failure.ts';
import { idsOf } from '../support/http/calls.ts';
import { makeSqlitePlace, type SqlitePlace } from '../support/store-place.ts';

const rex = { name: 'Rex', categoryId: 1n, status: 'sold' } as const;

let place: SqlitePlace;
beforeEach(async () => {
  place = await makeSqlitePlace();
});
afterEach(() => place[Symbol.asyncDispose]());

/** A store with a pet, an order, and a deleted pet, that has gone back. */
async function makeOlder(): Promise<void> {
  const store = await place.open();
  await store.pets.createPet(rex, { key: 'k', caller: 'c' }, 'till-2');
  const { id } = await store.pets.createPet(rex);
  await issueKey(store.keys, { name: 'k', now: new Date(), isReadOnly: true });
  expect((await store.orders.listOrders({ limit: 1 })).json).toContain('"createdBy":"till-2"');
  await store.pets.deletePet(id);
  await store.close();
  migrateSqliteBack(place.path, { keepsOlder: false });
}

const schemaOf = (database: Database): unknown[] =>
  database.query('SELECT type, name, sql FROM sqlite_schema ORDER BY name').all();

describe('the way back to schema version 5', () => {
  it('leaves the schema that version 5 had', async () => {
    await makeOlder();
    using database = new Database(place.path);
    using original = new Database(':memory:');
    migrate(original, 5);
    expect(readPragma(database, 'user_version')).toBe(5);
    expect(schemaOf(database)).toEqual(schemaOf(original));
    expect(database.query('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
  });

  it('keeps everything but who wrote an order, and can be taken forward again', async () => {
    await makeOlder();
    const content = { petCount: 1, orderCount: 2, keyCount: 1 };
    expect(backUpSqlite(place.path, `${place.path}.backup`, noReport)).toEqual(content);
    expect(inspectSqlite(place.path, 0, noReport)).toMatchObject(content);
    const store = await place.open();
    try {
      expect((await store.orders.listOrders({ limit: 1 })).json).not.toContain('createdBy');
      expect(await store.pets.createPet(rex, { key: 'k', caller: 'c' })).toMatchObject({
        id: 1n,
        replayed: true,
      });
      expect(await store.pets.createPet(rex)).toMatchObject({ id: 3n });
      expect(idsOf((await store.orders.listOrders({ limit: 100 })).json)).toEqual(['1', '2', '3']);
      expect(await store.keys.listKeys()).toMatchObject([{ id: '1', isReadOnly: true }]);
    } finally {
      await store.close();
    }
  });

  it('is not open to a store in use', async () => {
    const store = await place.open();
    expect(() => migrateSqliteBack(place.path, { keepsOlder: false })).toThrow('is in use');
    await store.close();
  });
});

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
