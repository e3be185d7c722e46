import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'bun:test';
import { noReport } from '../../src/domain/progress.ts';
import { backUpSqlite } from '../../src/sqlite/opening/copy-store.ts';
import { migrate } from '../../src/sqlite/migrate.ts';
import { inspectSqlite } from '../../src/sqlite/maintenance/inspect.ts';
import { idsOf, outcomeOf, walkPages } from '../support/http/calls.ts';
import { openService } from '../support/http/service.ts';
import { makeSqlitePlace, type SqlitePlace } from '../support/store-place.ts';

let place: SqlitePlace;
beforeEach(async () => {
  place = await makeSqlitePlace();
});
afterEach(() => place[Symbol.asyncDispose]());

const names = ['Rex', 'Mimi', 'Zoë 🐈', '"quoted" \\ \n'];

describe('a pet whose bytes the disk has changed', () => {
  it('is never served, and the others are', async () => {
    const store = await place.open();
    for (const name of names) await store.pets.createPet({ name, categoryId: 1n });
    await store.close();
    change(`UPDATE pets SET json = replace(json, 'Mimi', 'Mini') WHERE id = 2`);
    await using service = await openService({ openStore: () => place.open() });
    expect(await outcomeOf(service.call('/v1/pets/2'))).toBe('503 unavailable');
    expect(await outcomeOf(service.call('/v1/pets'))).toBe('503 unavailable');
    expect(await outcomeOf(service.call('/v1/pets?limit=1'))).toBe('200');
    expect(await outcomeOf(service.call('/v1/pets/3'))).toBe('200');
  });

  it('is found by its checksum, wherever the change is', async () => {
    const store = await place.open();
    await store.pets.createPet({ name: 'Rex', categoryId: 77n, status: 'sold' });
    await store.close();
    const [from, to] = ['{"id":1,"name":"Rex","categoryId":77,"status":"sold"}', '{"id":1,"name":"Rex"'];
    for (const [search, replacement] of [
      ['Rex', 'Rey'],
      ['77', '78'],
      ['sold', 'solc'],
      ['"id":1', '"id":3'],
      [from, to],
    ]) {
      change(`UPDATE pets SET json = replace('${from}', '${search}', '${replacement}')`);
      const opened = await place.open();
      expect(() => opened.pets.listPets({ limit: 1 })).toThrow('damaged');
      expect(() => opened.pets.getPet(1n)).toThrow('damaged');
      await opened.close();
    }
  });
});

describe('a store of schema version 2', () => {
  it('can be backed up and inspected as it is', () => {
    makeVersion2();
    expect(backUpSqlite(place.path, `${place.path}.backup`, noReport)).toEqual({
      petCount: names.length + 1,
      orderCount: 0,
      keyCount: 0,
    });
    expect(inspectSqlite(`${place.path}.backup`, 0, noReport)).toMatchObject({ petCount: names.length + 1 });
  });

  it('keeps its pets exactly, and never uses an id twice', async () => {
    makeVersion2();
    await using service = await openService({ openStore: () => place.open() });
    const page = await (await service.call('/v1/pets')).text();
    expect(JSON.parse(page)).toEqual([
      ...names.map((name, index) => ({ id: index + 1, name, categoryId: index, status: 'sold' })),
      { id: 9007199254740992, name: 'none', categoryId: -9223372036854775808 },
    ]);
    expect(page).toContain('"id":9007199254740993,"name":"none","categoryId":-9223372036854775808}');
    expect((await walkPages(service.call, '?status=sold&limit=3')).flat()).toEqual(['1', '2', '3', '4']);
    const created = await service.call('/v1/pets', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"name":"new","categoryId":1}',
    });
    // The pet before it, 9007199254740999, had been removed by hand.
    expect(idsOf(await created.text())).toEqual(['9007199254741000']);
  });
});

function change(sql: string): void {
  using database = new Database(place.path);
  database.run(sql);
}

/** The schema as it was before pets were kept as JSON. */
function makeVersion2(): void {
  using database = new Database(place.path, { create: true, strict: true });
  database.run('PRAGMA journal_mode = WAL');
  migrate(database, 2);
  const insert = database.query('INSERT INTO pets VALUES (?1, ?2, ?3, ?4)');
  names.forEach((name, index) => insert.run(index + 1, name, index, 'sold'));
  insert.run(2n ** 53n + 1n, 'none', -(2n ** 63n), null);
  insert.run(2n ** 53n + 7n, 'removed', 1, null);
  database.run(`DELETE FROM pets WHERE name = 'removed'`);
}
