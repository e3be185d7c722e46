import { Database } from 'bun:sqlite';
import { describe, expect, it } from 'bun:test';
import {
  linkSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { OperatorError } from '../../src/domain/error.ts';
import { issueKey } from '../../src/stores/issue-key.ts';
import { copySqlite } from '../../src/stores/sqlite/maintenance/backup.ts';
import { restoreBackup } from '../../src/stores/backups/backups.ts';
import { openPlace } from '../../src/stores/backups/places.ts';
import { fillFile } from '../support/fill-file.ts';
import { openSqliteStore } from '../../src/stores/sqlite/open.ts';
import type { Store } from '../../src/stores/store.ts';
import { noReport } from '../../src/system/progress.ts';
import { codeOf } from '../support/code-of.ts';
import { hashesOf } from '../support/file-hashes.ts';
import { runCli, startService } from '../support/process/process.ts';
import { refusalOf } from '../support/process/refusal.ts';
import { useStoreFolder } from '../support/process/store-folder.ts';
import { readPets } from '../support/journal.ts';
import { failureOf } from '../support/failure.ts';
import { createPet, deletePet, putCategory } from '../support/changes.ts';
import { addPet } from '../support/http/calls.ts';

const at = useStoreFolder();
const { inFolder, run } = at;

const onStore = () => ['--database-url', at.store];

const sold = { name: 'Rex', categoryId: 1n, status: 'sold' } as const;

/** Opens the store for some work. */
async function withStore<Result>(work: (store: Store) => Promise<Result>, path = at.store): Promise<Result> {
  const store = openSqliteStore({ path });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Makes a store with keys of these names. */
const makeStore = (...names: string[]) =>
  withStore(async ({ keys }) => {
    for (const name of names) await issueKey(keys, { name, now: new Date() });
  });
const backUp = (name = 'backup.db') => copySqlite(at.store, inFolder(name), noReport);
const restore = ({ file = 'backup.db', store = at.store, isForced = false } = {}) => {
  const path = resolve(at.path, file);
  const place = openPlace(dirname(path), {});
  return restoreBackup({ place, name: basename(path), store, isForced, report: noReport });
};

describe('petstore restore', () => {
  it('restores everything, keys and used ids included, where there was no store', async () => {
    const { text, orders } = await withStore(async (store) => {
      await store.pets.apply(createPet(sold));
      await store.pets.apply(deletePet(1n));
      await store.pets.apply(putCategory(7n, 'Dogs'));
      const issued = await issueKey(store.keys, { name: 'till', now: new Date() });
      return { ...issued, orders: (await store.orders.listOrders({ limit: 100 })).json };
    });
    await backUp();
    const restored = inFolder('new/b.db');
    expect(await runCli(['restore', inFolder('backup.db'), '--database-url', restored])).toMatchObject({
      status: 0,
      stdout: `Restored 0 pets and 1 order to ${restored}.\nKeys revoked since the backup stay revoked only if the replaced store had them: petstore keys list\n`,
    });
    expect(statSync(restored).mode & 0o777).toBe(0o600);
    expect(readdirSync(inFolder('new'))).toEqual(['b.db']);
    await using service = await startService({ databaseUrl: restored });
    const textAt = async (path: string) => (await service.callWith(text, path)).text();
    expect(await textAt('/v1/store/orders')).toBe(orders);
    expect(await textAt('/v1/categories')).toBe('[{"id":7,"name":"Dogs"}]');
    expect(await addPet(service.call)).toBe('2');
    expect(String(await failureOf(restore({ store: restored, isForced: true })))).toContain('is in use');
    expect((await service.call('/readyz')).status).toBe(200);
  });

  it('revokes keys no later than the replaced store, if it knows them', async () => {
    await makeStore('kept', 'leaked', 'ending', 'sooner');
    const [now, soon, later] = [0, 60_000, 90_000].map((ms) => new Date(Date.now() + ms));
    await withStore(({ keys }) => keys.revokeKey('4', later!));
    await backUp();
    const expected = await withStore(async ({ keys }) => {
      await keys.revokeKey('2', now!);
      await keys.revokeKey('3', soon!);
      await keys.revokeKey('4', soon!);
      return await keys.listKeys();
    });
    expect(expected.map(({ revokedAt }) => revokedAt)).toEqual([undefined, now, soon, soon]);
    expect(await run('restore', 'backup.db')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^Restored 0 pets to .*\nThe replaced store is kept as .*\n/),
    });
    expect(await withStore(async ({ keys }) => await keys.listKeys())).toEqual(expected);
  });

  it('begins a new log of events, which refuses a cursor of the replaced store', async () => {
    const { next: after } = await withStore(async ({ pets, events }) => {
      await pets.apply(createPet({ name: 'Rex', categoryId: 1n }));
      return await events.listEvents({ limit: 100 });
    });
    await backUp();
    await restore({ isForced: true });
    await withStore(async ({ events }) => {
      expect(await codeOf(Promise.try(() => events.listEvents({ after, limit: 100 })))).toBe('events_gone');
      expect(await events.listEvents({ limit: 100 })).toMatchObject({ json: '[]', isEnd: true });
    });
  });

  it('suggests --latest for a folder', async () => {
    const { status, stderr } = await refusalOf('restore', at.path, ...onStore());
    expect(status).toBe(1);
    expect(stderr).toContain('There is no backup');
    expect(stderr).toContain('add --latest');
  });

  it.each(['-wal', '-journal'])('refuses a file with a %s beside it', async (suffix) => {
    await makeStore();
    await backUp();
    writeFileSync(inFolder(`backup.db${suffix}`), 'x');
    expect((await refusalOf('restore', inFolder('backup.db'), ...onStore())).stderr).toContain(
      'has a log beside it',
    );
  });

  it('refuses the store itself, by any name', async () => {
    await makeStore('till');
    const before = hashesOf(at.path);
    symlinkSync(at.store, inFolder('link.db'));
    linkSync(at.store, inFolder('hard-link.db'));
    for (const name of ['petstore.db', 'link.db', 'hard-link.db'])
      expect((await refusalOf('restore', inFolder(name), '--force', ...onStore())).stderr).toContain(
        'is the store itself',
      );
    expect(hashesOf(at.path)).toMatchObject(before);
  });

  it('restores where a stopped store was moved away, beside the empty log that it left', async () => {
    await makeStore();
    await backUp();
    rmSync(at.store);
    expect(statSync(`${at.store}-wal`).size).toBe(0);
    await restore();
    expect(readPets(at.store)).toEqual([]);
  });

  it('makes other commands wait, and tells those that wait too long why', async () => {
    await fillFile(at.store, 1);
    using held = new Database(at.store);
    held.run('PRAGMA locking_mode = EXCLUSIVE');
    held.run('BEGIN EXCLUSIVE');
    expect(String(await failureOf(withStore(async () => {})))).toContain(
      'is locked by another process, such as petstore restore.',
    );
  });

  it('refuses a command that waited, which would use the old store with the new log', async () => {
    await makeStore();
    const next = inFolder('next.db');
    await fillFile(next, 50);
    // As a restore does: the lock, the new file, and only then the end of the lock.
    using replaced = new Database(at.store);
    replaced.run('PRAGMA locking_mode = EXCLUSIVE');
    replaced.run('BEGIN EXCLUSIVE; ROLLBACK');
    replaced.run('PRAGMA journal_mode = TRUNCATE');
    const waiting = run('keys', 'create', '--name', 'late');
    while (!isOpenElsewhere(at.store)) await Bun.sleep(1);
    renameSync(next, at.store);
    // A service is faster and begins the log of the new store.
    const store = openSqliteStore({ path: at.store });
    try {
      await store.pets.apply(createPet({ name: 'Rex', categoryId: 1n }));
      replaced.close();
      expect(await waiting).toMatchObject({ status: 1, stderr: expect.stringContaining('was replaced') });
      expect(await store.keys.listKeys()).toEqual([]);
    } finally {
      await store.close();
    }
    expect(readPets(at.store)).toHaveLength(51);
  });

  it.each([
    ['pets', [createPet(sold)]],
    ['orders', [createPet(sold), deletePet(1n)]],
    ['categories', [putCategory(7n, 'Dogs')]],
  ])('replaces a store that holds %s only with --force', async (what, changes) => {
    await makeStore();
    await backUp();
    await withStore(async ({ pets }) => {
      for (const change of changes) await pets.apply(change);
    });
    const refusal = `holds ${what}. To replace them with the backup, add --force.`;
    expect(await failureOf(restore())).toMatchObject({ message: `${at.store} ${refusal}` });
    await restore({ isForced: true });
    expect(await withStore(async ({ orders }) => await orders.listOrders({ limit: 1 }))).toEqual({
      json: '[]',
    });
    expect(readPets(at.store)).toEqual([]);
  });

  it('replaces a file that is no longer a database only with --force', async () => {
    await makeStore();
    await backUp();
    writeFileSync(at.store, 'no database any more');
    expect(String(await failureOf(restore()))).toContain('is not a database');
    await restore({ isForced: true });
    expect(readPets(at.store)).toEqual([]);
  });

  it('refuses what is no whole backup, and leaves the store alone', async () => {
    await makeStore('till');
    await backUp();
    const whole = readFileSync(inFolder('backup.db'));
    writeFileSync(inFolder('half.db'), whole.subarray(0, whole.length / 2));
    writeFileSync(inFolder('text.db'), 'some text');
    // As the file of a new store is, while all of it is in the log.
    const database = new Database(inFolder('bare.db'));
    database.run('PRAGMA journal_mode = WAL');
    database.close();
    const isForced = true;
    for (const file of ['text.db', 'bare.db'])
      expect(String(await failureOf(restore({ file, isForced })))).toContain(
        `${file} is not a backup. Name a file that petstore backup has made.`,
      );
    for (const store of [at.store, inFolder('new.db')])
      for (const file of ['half.db', 'none.db', '.'])
        expect(await failureOf(restore({ file, store, isForced }))).toBeInstanceOf(OperatorError);
    expect(readdirSync(at.path).filter((name) => /new|partial/.test(name))).toEqual([]);
    expect(await withStore(({ keys }) => Promise.resolve(keys.listKeys()))).toMatchObject([{ name: 'till' }]);
  });
});

describe('restores of one store at the same time', () => {
  it('leave the whole content of one of them', async () => {
    for (const count of [100, 2000]) {
      await fillFile(inFolder(`${count}.db`), count);
      await copySqlite(inFolder(`${count}.db`), inFolder(`b${count}.db`), noReport);
    }
    await fillFile(at.store, 1);
    const results = await Promise.all(
      [100, 2000, 100].map((count) => run('restore', inFolder(`b${count}.db`), '--force')),
    );
    expect(results.some(({ status }) => status === 0)).toBe(true);
    for (const { status, stderr } of results)
      if (status !== 0) expect(stderr).toMatch(/is in use|was replaced/);
    expect([100, 2000]).toContain(readPets(at.store).length);
  });
});

/** Whether a process other than this one has the file open, as the system tells it. */
function isOpenElsewhere(path: string): boolean {
  const file = realpathSync(path);
  const isOpenIn = (pid: string): boolean => {
    try {
      const folder = `/proc/${pid}/fd`;
      return readdirSync(folder).some((descriptor) => readlinkSync(join(folder, descriptor)) === file);
    } catch {
      return false;
    }
  };
  return readdirSync('/proc').some(
    (name) => /^\d+$/.test(name) && name !== String(process.pid) && isOpenIn(name),
  );
}
