import { Database } from 'bun:sqlite';
import { describe, expect, it } from 'bun:test';
import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openSqliteStore } from '../../../../src/stores/sqlite/open.ts';
import { createRegistry, type Registry } from '../../../../src/metrics/registry.ts';
import { readPragma } from '../../../../src/stores/sqlite/schema.ts';
import { limitedTo, runCli } from '../../../support/process/process.ts';
import { useStoreFolder } from '../../../support/process/store-folder.ts';
import { createPet } from '../../../support/changes.ts';

const rex = { name: 'Rex', categoryId: 1n };

const at = useStoreFolder();

async function useStore(path = at.store): Promise<void> {
  const store = openSqliteStore({ path });
  await store.pets.apply(createPet(rex));
  await store.close();
}

const migrate = (options = {}) => runCli(['migrate', '--database-url', at.store], options);

const rightsOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

/** Whether a connection holds the lock of the store. A restore would wait for it. */
function isOpen(path: string): boolean {
  using database = new Database(path);
  database.run('PRAGMA locking_mode = EXCLUSIVE');
  try {
    database.run('BEGIN EXCLUSIVE');
    return false;
  } catch {
    return true;
  }
}

describe('openSqliteStore on a new store', () => {
  it('gives only the owner access: folder 700, file and side files 600', async () => {
    const path = at.inFolder('deep/new/shop.db');
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
    const folder = at.inFolder('shared');
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
  it('makes the tables in an empty file and marks the file as ours', async () => {
    writeFileSync(at.store, '');
    await useStore();
    const database = new Database(at.store, { readonly: true });
    expect(readPragma(database, 'user_version')).toBe(9);
    expect(readPragma(database, 'application_id')).toBe(Buffer.from('pets').readUInt32BE());
    expect(database.query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    database.close();
  });

  it('makes the tables once when several processes open a new store together', async () => {
    const results = await Promise.all([1, 2, 3].map(() => migrate()));
    expect(results.map(({ status }) => status)).toEqual([0, 0, 0]);
    expect(results.filter(({ stderr }) => stderr.includes('Made a new store'))).toHaveLength(1);
  });

  it('closes what it has opened if it fails', async () => {
    const metrics = createRegistry();
    const gauge: Registry['gauge'] = (name, ...rest) => {
      if (name === 'petstore_disk_free_bytes') throw new Error('No room for another gauge.');
      metrics.gauge(name, ...rest);
    };
    expect(() => openSqliteStore({ path: at.store, metrics: { ...metrics, gauge } })).toThrow('No room');
    const deadline = performance.now() + 60_000;
    while (isOpen(at.store) && performance.now() < deadline) await Bun.sleep(5);
    expect(isOpen(at.store)).toBe(false);
  });

  it('fails on a full disk, and makes the tables once there is room', async () => {
    expect(await migrate({ wrap: limitedTo(20_000) })).toMatchObject({ status: 1 });
    expect(await migrate()).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('Made a new store'),
    });
  });
});

describe('a clean stop', () => {
  it('keeps the side files, with an empty log, so that a start needs no room on the disk', async () => {
    await useStore();
    expect(statSync(`${at.store}-wal`).size).toBe(0);
    expect(existsSync(`${at.store}-shm`)).toBe(true);
  });
});
