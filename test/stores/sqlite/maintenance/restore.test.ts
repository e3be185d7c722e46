import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { copySqlite } from '../../../../src/stores/sqlite/maintenance/backup.ts';
import { restoreBackup } from '../../../../src/stores/backups/backups.ts';
import { openPlace } from '../../../../src/stores/backups/places.ts';
import { hashesOf } from '../../../support/file-hashes.ts';
import { fillFile } from '../../../support/fill-file.ts';
import { issueKey } from '../../../../src/stores/issue-key.ts';
import { openSqliteStore } from '../../../../src/stores/sqlite/open.ts';
import { noReport } from '../../../../src/system/progress.ts';
import { copyByHand, damageFile, makeCrashedStore } from '../../../support/crashed-store.ts';
import { idsOf } from '../../../support/http/calls.ts';
import { readPets } from '../../../support/journal.ts';
import { project } from '../../../support/process/package.ts';
import { makeFolder, runCli, type CliResult } from '../../../support/process/process.ts';
import { useStoreFolder } from '../../../support/process/store-folder.ts';
import { createPet, deletePet } from '../../../support/changes.ts';

const at = useStoreFolder();
const { inFolder } = at;

const idsIn = (path: string) => readPets(path).map(({ id }) => id);

/** A backup of one pet, and a store with three pets in its log. */
const made = makeFolder();
const backup = join(made.path, 'one.db');
beforeAll(async () => {
  const other = join(made.path, 'other.db');
  await fillFile(other, 1);
  await copySqlite(other, backup, noReport);
  await makeCrashedStore(made.database, 3);
});
afterAll(() => made[Symbol.dispose]());

/** Restores a backup by force. */
const restore = (file = backup) => {
  const place = openPlace(dirname(file), {});
  return restoreBackup({ place, name: basename(file), store: at.store, isForced: true, report: noReport });
};

/** Restores the backup by force, in a process with the preload `faulty-files.cjs`, which loads nothing else. */
function restoreWith(env: Record<string, string>): Promise<CliResult> {
  const modules = ['stores/backups/backups.ts', 'stores/backups/places.ts', 'system/progress.ts'];
  const imports = modules.map((module) => `await import(${JSON.stringify(join(project, 'src', module))})`);
  const options = JSON.stringify({ name: basename(backup), store: at.store, isForced: true });
  const program = `
    const [{ restoreBackup }, { openPlace }, { noReport }] = [${imports.join()}];
    const place = openPlace(${JSON.stringify(dirname(backup))}, {});
    await restoreBackup({ ...${options}, place, report: noReport });`;
  const preload = join(import.meta.dir, 'faulty-files.cjs');
  return runCli([], { env, wrap: ([bun = '']) => [bun, '--preload', preload, '-e', program] });
}

describe('a restore that is killed at any step', () => {
  it('leaves the old store or the new one, whole, and the next start needs no command', async () => {
    copyByHand(made.database, at.store);
    using snapshots = makeFolder();
    const restored = await restoreWith({ FOLDER: at.path, SNAPSHOTS: snapshots.path });
    expect(restored).toMatchObject({ status: 0 });
    const steps = readdirSync(snapshots.path).map((step) => join(snapshots.path, step));
    expect(steps.length).toBeGreaterThanOrEqual(40);
    // Many steps change no file.
    const different = new Map(steps.map((folder) => [JSON.stringify(hashesOf(folder)), folder])).values();
    const left = new Set<number>();
    for (const folder of different) {
      const inStep = (name: string) => join(folder, name);
      const path = inStep(basename(at.store));
      const store = openSqliteStore({ path });
      const ids = idsOf((await store.pets.listPets({ limit: 100 })).json);
      await store.close();
      expect([['1'], ['1', '2', '3']]).toContainEqual(ids);
      left.add(ids.length);
      expect(idsIn(path)).toEqual(ids);
      const replaced = readdirSync(folder).filter((name) => name.includes('.replaced-'));
      if (ids.length === 1) expect(replaced).toHaveLength(1);
      for (const name of replaced) expect(idsIn(inStep(name))).toEqual(['1', '2', '3']);
    }
    expect(left).toEqual(new Set([1, 3]));
  });
});

describe('petstore restore', () => {
  it('does not reuse ids of the replaced store', async () => {
    const store = openSqliteStore({ path: at.store });
    await store.pets.apply(createPet({ name: 'Rex', categoryId: 1n, status: 'sold' }));
    await copySqlite(at.store, inFolder('b.db'), noReport);
    const since = await store.pets.apply(createPet({ name: 'Tom', categoryId: 1n, status: 'sold' }));
    await store.pets.apply(deletePet(since.id));
    await issueKey(store.keys, { name: 'till', now: new Date() });
    await store.close();
    await restore(inFolder('b.db'));
    const restored = openSqliteStore({ path: at.store });
    expect(
      await restored.pets.apply(createPet({ name: 'Max', categoryId: 1n, status: 'sold' })),
    ).toMatchObject({
      id: since.id + 1n,
    });
    expect(idsOf((await restored.orders.listOrders({ limit: 10 })).json)).toEqual(['1', '3']);
    await issueKey(restored.keys, { name: 'other', now: new Date() });
    expect((await restored.keys.listKeys()).map(({ id }) => id)).toEqual(['2']);
    await restored.close();
  });

  it('keeps an unreadable store byte for byte, with its log', async () => {
    copyByHand(made.database, at.store);
    damageFile(at.store);
    const file = Buffer.from(readFileSync(at.store).fill('x', 0, 100));
    await Bun.write(at.store, file);
    const log = readFileSync(`${at.store}-wal`);
    expect(log.length).toBeGreaterThan(0);
    await restore();
    expect(idsIn(at.store)).toEqual(['1']);
    const [kept = ''] = readdirSync(at.path).filter((name) => /\.replaced-\d+T\d+Z$/.test(name));
    expect(readFileSync(inFolder(kept)).equals(file)).toBe(true);
    expect(readFileSync(inFolder(`${kept}-wal`)).equals(log)).toBe(true);
  });

  it('leaves the store alone if there are no hard links', async () => {
    copyByHand(made.database, at.store);
    expect(await restoreWith({ NO_LINKS: '1' })).toMatchObject({ status: 1 });
    expect(readdirSync(at.path).filter((name) => name.includes('.replaced-'))).toEqual([]);
    expect(idsIn(at.store)).toEqual(['1', '2', '3']);
  });
});
