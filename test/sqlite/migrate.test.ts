import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'bun:test';
import { issueKey } from '../../src/domain/api-key.ts';
import { noReport } from '../../src/domain/progress.ts';
import { backUpSqlite } from '../../src/sqlite/opening/copy-store.ts';
import { inspectSqlite } from '../../src/sqlite/maintenance/inspect.ts';
import { migrateSqliteBack } from '../../src/sqlite/maintenance/migrate-back.ts';
import { migrate, readPragma } from '../../src/sqlite/migrate.ts';
import { idsOf } from '../support/http/calls.ts';
import { makeSqlitePlace, type SqlitePlace } from '../support/store-place.ts';

const rex = { name: 'Rex', categoryId: 1n, status: 'sold' } as const;

let place: SqlitePlace;
beforeEach(async () => {
  place = await makeSqlitePlace();
});
afterEach(() => place[Symbol.asyncDispose]());

/** A store with a pet, an order, and a deleted pet, that has gone back. */
async function makeVersion3(): Promise<void> {
  const store = await place.open();
  await store.pets.createPet(rex, { key: 'k', caller: 'c' });
  const { id } = await store.pets.createPet(rex);
  for (const isReadOnly of [true, false])
    await issueKey(store.keys, { name: 'k', now: new Date(), isReadOnly });
  await store.experimental.deletePet(id);
  await store.close();
  migrateSqliteBack(place.path, 3, { keepsOlder: false });
}

const schemaOf = (database: Database): unknown[] =>
  database.query('SELECT type, name, sql FROM sqlite_schema ORDER BY name').all();

describe('the way back to schema version 3', () => {
  it('leaves the schema that version 3 had', async () => {
    await makeVersion3();
    using database = new Database(place.path);
    using original = new Database(':memory:');
    migrate(original, 3);
    expect(readPragma(database, 'user_version')).toBe(3);
    expect(schemaOf(database)).toEqual(schemaOf(original));
    expect(database.query('SELECT name FROM sqlite_sequence').all()).toEqual([
      { name: 'pets' },
      { name: 'api_keys' },
    ]);
    expect(database.query('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
  });

  it('keeps pets, idempotency keys and used ids, and can be taken forward again', async () => {
    await makeVersion3();
    const store = await place.open();
    try {
      expect((await store.experimental.listOrders({ limit: 100 })).json).toBe('[]');
      expect(await store.pets.createPet(rex, { key: 'k', caller: 'c' })).toMatchObject({
        id: 1n,
        replayed: true,
      });
      expect(await store.pets.createPet(rex)).toMatchObject({ id: 3n });
      expect(idsOf((await store.experimental.listOrders({ limit: 100 })).json)).toEqual(['1']);
    } finally {
      await store.close();
    }
  });

  it('revokes read-only keys, which the release before would let write', async () => {
    await makeVersion3();
    const store = await place.open();
    try {
      expect(await store.keys.listKeys()).toMatchObject([
        { id: '1', isReadOnly: false, revokedAt: expect.any(Date) },
        { id: '2', isReadOnly: false },
      ]);
      expect((await store.keys.listKeys())[1]).not.toHaveProperty('revokedAt');
    } finally {
      await store.close();
    }
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

describe('a store of schema version 3', () => {
  it('can be backed up and inspected as it is', async () => {
    await makeVersion3();
    const content = { petCount: 1, orderCount: 0, keyCount: 2 };
    expect(backUpSqlite(place.path, `${place.path}.backup`, noReport)).toEqual(content);
    expect(inspectSqlite(place.path, 0, noReport)).toMatchObject(content);
  });
});

describe('the way back to schema version 5', () => {
  it('keeps orders that 1.1.0 can read, without who wrote them', async () => {
    const store = await place.open();
    await store.pets.createPet(rex, undefined, 'till-2');
    expect((await store.experimental.listOrders({ limit: 1 })).json).toContain('"createdBy":"till-2"');
    await store.close();
    migrateSqliteBack(place.path, 5, { keepsOlder: false });
    expect(inspectSqlite(place.path, 0, noReport)).toMatchObject({ petCount: 1, orderCount: 1 });
    const again = await place.open();
    expect((await again.experimental.listOrders({ limit: 1 })).json).not.toContain('createdBy');
    await again.close();
  });

  it('leads neither further back nor ahead, nor is it open to a store in use', async () => {
    const store = await place.open();
    for (const version of [2, 7])
      expect(() => migrateSqliteBack(place.path, version, { keepsOlder: false })).toThrow('is in use');
    await store.close();
    for (const version of [2, 7])
      expect(() => migrateSqliteBack(place.path, version, { keepsOlder: false })).toThrow(
        'There is no way to',
      );
  });
});
