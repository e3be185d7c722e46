import { Database } from 'bun:sqlite';
import { describe, expect, it } from 'bun:test';
import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readPragma } from '../../../../src/stores/sqlite/migrate.ts';
import { openSqliteStore } from '../../../../src/stores/sqlite/open.ts';
import { useSqliteFile } from '../../../support/sqlite-file.ts';
import { createPet } from '../../../support/changes.ts';

const rex = { name: 'Rex', categoryId: 1n };

const place = useSqliteFile();

async function useStore(path = place.path): Promise<void> {
  const store = openSqliteStore({ path });
  await store.pets.apply(createPet(rex));
  await store.close();
}

const rightsOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe('openSqliteStore on a new store', () => {
  it('gives only the owner access: folder 700, file and side files 600', async () => {
    const path = join(dirname(place.path), 'deep', 'new', 'shop.db');
    const store = openSqliteStore({ path });
    try {
      await store.pets.apply(createPet(rex));
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
  it('creates the schema in an empty file and marks the file as ours', async () => {
    writeFileSync(place.path, '');
    await useStore();
    const database = new Database(place.path, { readonly: true });
    expect(readPragma(database, 'user_version')).toBeGreaterThanOrEqual(1);
    expect(readPragma(database, 'application_id')).toBe(Buffer.from('pets').readUInt32BE());
    expect(database.query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    database.close();
  });

  it('creates the schema once when several processes open an empty file together', async () => {
    const stores = [1, 2, 3].map(() => place.open());
    const created = await Promise.all(stores.map((store) => store.pets.apply(createPet(rex))));
    expect(new Set(created.map(({ id }) => id)).size).toBe(3);
  });
});

describe('a clean stop', () => {
  it('keeps the side files, with an empty log, so that a start needs no room on the disk', async () => {
    await useStore();
    expect(statSync(`${place.path}-wal`).size).toBe(0);
    expect(existsSync(`${place.path}-shm`)).toBe(true);
  });
});
