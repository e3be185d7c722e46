import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { restoreBackup } from '../../../../src/stores/backups/backups.ts';
import { openPlace } from '../../../../src/stores/backups/places.ts';
import { storeAt } from '../../../../src/stores/open.ts';
import { copySqlite } from '../../../../src/stores/sqlite/maintenance/backup.ts';
import { openSqliteStore } from '../../../../src/stores/sqlite/open.ts';
import type { Store } from '../../../../src/stores/store.ts';
import { noReport } from '../../../../src/system/progress.ts';
import { createPet } from '../../../support/changes.ts';
import { copyByHand, damageFile, damageLog, makeCrashedStore } from '../../../support/crashed-store.ts';
import { fillFile } from '../../../support/fill-file.ts';
import { silentLog } from '../../../support/http/service.ts';
import { idsOf } from '../../../support/http/calls.ts';
import { makeFolder } from '../../../support/process/process.ts';
import { useStoreFolder } from '../../../support/process/store-folder.ts';

const at = useStoreFolder();

const crashed = makeFolder();
beforeAll(() => makeCrashedStore(crashed.database));
afterAll(() => crashed[Symbol.dispose]());

const sideFiles: [string, () => void][] = [
  ['with its log and shared memory', () => {}],
  ['without its shared memory', () => rmSync(`${at.store}-shm`)],
];

const check = () => storeAt(at.store).check({ log: silentLog, report: noReport });

/** Opens the store for some work, as a start does. */
async function withStore<Result>(work: (store: Store) => Promise<Result>): Promise<Result> {
  const store = openSqliteStore({ path: at.store });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

const readIds = () => withStore(async ({ pets }) => idsOf((await pets.listPets({ limit: 100 })).json));

/** A start and a check refuse a store before they write to it. */
async function expectRefused(message: string | RegExp): Promise<void> {
  for (const use of [readIds, check]) await at.expectRefused(message, use);
}

describe('a crashed store', () => {
  beforeEach(() => copyByHand(crashed.database, at.store));

  it.each(sideFiles)('%s is read completely by petstore check and backup', async (_title, prepare) => {
    prepare();
    expect((await check()).content?.petCount).toBe(5);
    expect(await copySqlite(at.store, at.inFolder('out.db'), noReport)).toMatchObject({ petCount: 5 });
  });

  it('is refused if its file is damaged', async () => {
    // First into the file, then more into the log: damage in the file that the log does not cover.
    await fillFile(at.store, 1000);
    damageFile(at.store);
    crash("database.run('CREATE TABLE more (id INTEGER)');");
    rmSync(`${at.store}-shm`);
    await expectRefused('is damaged');
  });

  it.each(sideFiles)(
    '%s loses what follows the first damaged frame of its log, and nothing before it',
    async (_title, prepare) => {
      prepare();
      damageLog(at.store, 3);
      const left = await readIds();
      expect(left.length).toBeWithin(1, 5);
      expect(left).toEqual(['1', '2', '3', '4'].slice(0, left.length));
    },
  );
});

describe('a file above 16 MiB whose end is missing', () => {
  const large = makeFolder();
  beforeAll(() => fillFile(large.database, 60_000));
  afterAll(() => large[Symbol.dispose]());
  beforeEach(() => copyByHand(large.database, at.store));

  it.each([
    ['by half a page', 2048],
    ['by many pages', 40_960],
  ])('%s is refused, unless a log beside it may hold the end', async (_title, bytes) => {
    const { size } = statSync(at.store);
    expect(size).toBeGreaterThan(16 * 1024 * 1024);
    truncateSync(at.store, size - bytes);
    await expectRefused('is damaged');
  });

  it('is served if a log beside it holds that end, as after a checkpoint that was cut off', async () => {
    // Of all pages: the log has every one of them.
    crash("database.run('PRAGMA wal_autocheckpoint = 0'); database.run('VACUUM');");
    expect(statSync(`${at.store}-wal`).size).toBeGreaterThan(16 * 1024 * 1024);
    truncateSync(at.store, statSync(at.store).size - 2048);
    await withStore(async ({ pets }) => expect(await pets.getPet(60_000n)).toBeDefined());
  });
});

describe('a log whose file was removed', () => {
  it('is refused with advice, and no empty file is left beside it', async () => {
    const other = at.inFolder('other.db');
    for (const copy of [at.store, other]) copyByHand(crashed.database, copy);
    await copySqlite(other, at.inFolder('b.db'), noReport);
    rmSync(at.store);
    const left = readFileSync(`${at.store}-wal`);
    const message = /is gone, but its log holds commits[^]*move \S+-wal\s+away/;
    await expectRefused(message);
    // A restore that moved the log away and was then killed would leave an empty store.
    const place = openPlace(at.path, {});
    const restored = { place, name: 'b.db', store: at.store, isForced: false, report: noReport };
    await at.expectRefused(message, () => restoreBackup(restored));
    expect(existsSync(at.store)).toBe(false);
    expect(readFileSync(`${at.store}-wal`).equals(left)).toBe(true);
  });
});

describe('an empty file whose log is only a header, as a kill can leave it', () => {
  it('becomes a store', async () => {
    writeFileSync(at.store, '');
    writeFileSync(`${at.store}-wal`, readFileSync(`${crashed.database}-wal`).subarray(0, 32));
    await withStore(({ pets }) => pets.apply(createPet({ name: 'Rex', categoryId: 1n })));
    expect(await readIds()).toEqual(['1']);
  });
});

/** Writes into the log alone, as a process that is killed leaves it. */
function crash(work: string): void {
  const program = `
    const { Database } = require('bun:sqlite');
    const database = new Database(process.argv[1]);
    ${work}
    process.kill(process.pid, 'SIGKILL');`;
  Bun.spawnSync([process.execPath, '-e', program, at.store]);
}
