import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'bun:test';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { OperatorError } from '../../../src/domain/error.ts';
import { readPragma } from '../../../src/sqlite/schema/migrate.ts';
import { openSqliteStore } from '../../../src/sqlite/open.ts';
import { makeSqlitePlace, type SqlitePlace } from '../../support/store-place.ts';

const rex = { name: 'Rex', categoryId: 1n };

let place: SqlitePlace;

beforeEach(async () => {
  place = await makeSqlitePlace();
});
afterEach(() => place[Symbol.asyncDispose]());

async function useStore(path = place.path): Promise<void> {
  const store = openSqliteStore({ path });
  await store.pets.createPet(rex);
  await store.close();
}

const rightsOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe('openSqliteStore on a new store', () => {
  it('gives access to the owner alone: folder 700, file and side files 600', async () => {
    const path = join(dirname(place.path), 'deep', 'new', 'shop.db');
    const store = openSqliteStore({ path });
    try {
      await store.pets.createPet(rex);
      expect([rightsOf(dirname(path)), rightsOf(dirname(dirname(path)))]).toEqual(['700', '700']);
      expect([path, `${path}-wal`, `${path}-shm`].map(rightsOf)).toEqual(['600', '600', '600']);
    } finally {
      await store.close();
    }
  });

  it('leaves the rights of an existing folder and file alone', async () => {
    const folder = join(dirname(place.path), 'shared');
    mkdirSync(folder);
    chmodSync(folder, 0o755);
    const path = join(folder, 'shop.db');
    writeFileSync(path, '');
    chmodSync(path, 0o640);
    await useStore(path);
    expect([rightsOf(folder), rightsOf(path)]).toEqual(['755', '640']);
  });
});

describe('openSqliteStore', () => {
  it('makes the schema in an empty file and marks the file as ours', async () => {
    writeFileSync(place.path, '');
    await useStore();
    const database = new Database(place.path, { readonly: true });
    expect(readPragma(database, 'user_version')).toBeGreaterThanOrEqual(1);
    expect(readPragma(database, 'application_id')).toBe(Buffer.from('pets').readUInt32BE());
    expect(database.query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    database.close();
  });

  it('leaves schema and data alone when it opens a store again', async () => {
    await useStore();
    await useStore();
    const database = new Database(place.path, { readonly: true });
    expect(database.query('SELECT count(*) AS count FROM pets').get()).toEqual({ count: 2 });
    database.close();
  });

  it('makes the schema once when several processes open an empty file together', async () => {
    const stores = [1, 2, 3].map(() => openSqliteStore({ path: place.path }));
    try {
      const created = await Promise.all(stores.map((store) => store.pets.createPet(rex)));
      expect(new Set(created.map(({ id }) => id)).size).toBe(3);
    } finally {
      await Promise.all(stores.map((store) => store.close()));
    }
  });

  it('never gives the id of a removed pet to another one', async () => {
    await useStore();
    const database = new Database(place.path);
    database.run('DELETE FROM pets');
    database.close();
    const store = openSqliteStore({ path: place.path });
    try {
      expect((await store.pets.createPet(rex)).id).toBe(2n);
    } finally {
      await store.close();
    }
  });

  it('commits durably, in WAL mode', async () => {
    await useStore();
    const database = new Database(place.path, { readonly: true });
    expect(database.query('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
    database.close();
  });
});

describe('a clean stop', () => {
  it('keeps the side files, with an empty log, so that a start needs no room on the disk', async () => {
    await useStore();
    expect(statSync(`${place.path}-wal`).size).toBe(0);
    expect(existsSync(`${place.path}-shm`)).toBe(true);
  });
});

describe('openSqliteStore on a file that cannot be a store', () => {
  const refusals: [string, RegExp, (path: string) => void][] = [
    ['is not a database', /is not a database/, (path) => writeFileSync(path, 'hello world '.repeat(500))],
    [
      'belongs to another program',
      /another program/,
      (path) => {
        const database = new Database(path, { create: true });
        database.run('CREATE TABLE pets (id INTEGER)');
        database.close();
      },
    ],
    [
      'has a newer schema',
      /schema version 99/,
      (path) => {
        openNothing(path);
        const database = new Database(path);
        database.run('PRAGMA user_version = 99');
        database.close();
      },
    ],
    [
      'is damaged',
      /is damaged/,
      (path) => {
        openNothing(path);
        const database = new Database(path);
        database.run('PRAGMA journal_mode = DELETE');
        database.close();
        const bytes = readFileSync(path);
        bytes.fill(0xff, 4096, bytes.length);
        writeFileSync(path, bytes);
      },
    ],
  ];
  for (const [title, message, make] of refusals) {
    it(`refuses a file that ${title}, and changes nothing`, () => {
      make(place.path);
      const before = readFileSync(place.path);
      expect(() => openSqliteStore({ path: place.path })).toThrow(OperatorError);
      expect(() => openSqliteStore({ path: place.path })).toThrow(message);
      expect(readFileSync(place.path).equals(before)).toBe(true);
    });
  }

  it('refuses a folder', () => {
    mkdirSync(place.path);
    expect(() => openSqliteStore({ path: place.path })).toThrow(OperatorError);
  });

  it('refuses a path below a file', () => {
    writeFileSync(place.path, '');
    expect(() => openSqliteStore({ path: join(place.path, 'x.db') })).toThrow(OperatorError);
    expect(existsSync(join(place.path, 'x.db'))).toBe(false);
  });
});

/** The schema alone, without a writer thread to wait for. */
function openNothing(path: string): void {
  const { exitCode, stderr } = Bun.spawnSync([
    process.execPath,
    '-e',
    `const { openSqliteStore } = await import(process.argv[1]); await openSqliteStore({ path: process.argv[2] }).close();`,
    join(import.meta.dir, '../../../src/sqlite/open.ts'),
    path,
  ]);
  if (exitCode !== 0) throw new Error(stderr.toString());
}
