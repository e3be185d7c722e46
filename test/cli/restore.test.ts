import { Database } from 'bun:sqlite';
import { describe, expect, it } from 'bun:test';
import { existsSync, readdirSync, renameSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openSqliteStore } from '../../src/sqlite/open.ts';
import { codeOf } from '../support/code-of.ts';
import { addPet } from '../support/http/calls.ts';
import { makeFolder, runCli, startService } from '../support/process/process.ts';
import { insertPet } from '../support/insert-pet.ts';
import { isOpenElsewhere } from '../support/process/open-files.ts';
import { readPets } from '../support/journal.ts';

describe('petstore restore', () => {
  it('warns about revoked keys when it replaces a store that does not know them', async () => {
    using place = makeFolder();
    const backup = join(place.path, 'backup.db');
    await runCli(['keys', 'create', '--name', 'till', '--database-url', place.database]);
    await runCli(['backup', backup, '--database-url', place.database]);
    const fresh = join(place.path, 'fresh.db');
    await runCli(['keys', 'create', '--name', 'first-start', '--database-url', fresh]);
    const { stdout } = await runCli(['restore', backup, '--database-url', fresh]);
    expect(stdout).toContain('one that was revoked later can be used again');
  });

  it('keeps keys revoked or expiring as they were in the replaced store', async () => {
    using place = makeFolder();
    const backup = join(place.path, 'backup.db');
    const at = ['--database-url', place.database];
    for (const name of ['kept', 'leaked', 'rotated']) await runCli(['keys', 'create', '--name', name, ...at]);
    await runCli(['backup', backup, ...at]);
    await runCli(['keys', 'revoke', '2', ...at]);
    await runCli(['keys', 'rotate', '3', ...at]);
    const listed = await statesOf(at);
    expect(listed).toMatchObject([
      { state: 'active', expiresAt: null },
      { state: 'revoked' },
      { state: 'active', expiresAt: expect.any(String) },
      { state: 'active', expiresAt: null },
    ]);
    expect(await runCli(['restore', backup, ...at])).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^Restored 0 pets to .*\nThe store that was there is kept as .*\n$/),
    });
    expect(await statesOf(at)).toEqual(listed.slice(0, 3));
  });

  it('begins a new log of events: a cursor of the replaced store is refused, and one event says to list again', async () => {
    using place = makeFolder();
    const backup = join(place.path, 'backup.db');
    const at = ['--database-url', place.database];
    const replaced = openSqliteStore({ path: place.database });
    await replaced.pets.createPet({ name: 'Rex', categoryId: 1n });
    const { next: after } = await replaced.events.listEvents({ limit: 100 });
    await replaced.close();
    await runCli(['backup', backup, ...at]);
    expect(await runCli(['restore', backup, '--force', ...at])).toMatchObject({ status: 0 });
    const restored = openSqliteStore({ path: place.database });
    const refused = await codeOf(Promise.try(() => restored.events.listEvents({ after, limit: 100 })));
    const { json } = await restored.events.listEvents({ limit: 100 });
    await restored.close();
    expect(refused).toBe('events_gone');
    expect(JSON.parse(json)).toMatchObject([{ type: 'pets.imported', count: 1 }]);
  });

  it('suggests --latest for a folder', async () => {
    using place = makeFolder();
    const { status, stderr } = await runCli(['restore', place.path, '--database-url', place.database]);
    expect(status).toBe(1);
    expect(stderr).toContain('is not a file. Name a file that petstore backup has made.');
    expect(stderr).toContain('add --latest');
  });

  it('refuses a file that has its own log', async () => {
    await using service = await startService();
    await addPet(service.call);
    await service.kill9();
    using place = makeFolder();
    const restore = (file: string) => runCli(['restore', file, '--database-url', place.database]);
    expect(await restore(service.database)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('has a log beside it'),
    });
    expect(existsSync(place.database)).toBe(false);
    const backup = join(place.path, 'backup.db');
    await runCli(['backup', backup, '--database-url', service.database]);
    expect(await restore(backup)).toMatchObject({ status: 0 });
    expect(readPets(place.database)).toHaveLength(1);
  });

  it('makes other commands wait, and tells those that wait too long why', async () => {
    using place = makeFolder();
    const command = ['keys', 'create', '--name', 'till', '--database-url', place.database];
    await runCli(command);
    using held = new Database(place.database);
    held.run('PRAGMA locking_mode = EXCLUSIVE');
    held.run('BEGIN EXCLUSIVE');
    expect(await runCli(command)).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(
        /^petstore: .* is locked by another process, such as petstore restore\..*\n$/,
      ),
    });
  });

  it('lets a waiting command use the new store, and never the old store with the new log', async () => {
    using place = makeFolder();
    const at = ['--database-url', place.database];
    await runCli(['keys', 'create', '--name', 'old', ...at]);
    const next = join(place.path, 'next.db');
    await runCli(['seed', '--count', '50', '--database-url', next]);
    // As a restore does: the lock, the new file, and only then the end of the lock.
    using replaced = new Database(place.database);
    replaced.run('PRAGMA locking_mode = EXCLUSIVE');
    replaced.run('BEGIN EXCLUSIVE; ROLLBACK');
    replaced.run('PRAGMA journal_mode = TRUNCATE');
    const waiting = runCli(['keys', 'create', '--name', 'late', ...at]);
    while (!isOpenElsewhere(place.database)) await Bun.sleep(1);
    renameSync(next, place.database);
    // A service is faster and begins the log of the new store.
    const store = openSqliteStore({ path: place.database });
    try {
      await store.pets.createPet({ name: 'Rex', categoryId: 1n });
      replaced.close();
      expect(await waiting).toMatchObject({ status: 0 });
      expect((await store.keys.listKeys()).map(({ name }) => name)).toEqual(['late']);
    } finally {
      await store.close();
    }
    expect(readPets(place.database)).toHaveLength(51);
  });

  it('restores everything, keys included, where there was no store', async () => {
    using place = makeFolder();
    const { key } = JSON.parse(
      (
        await runCli([
          'keys',
          'create',
          '--name',
          'till',
          '--json',
          '--database-url',
          join(place.path, 'a.db'),
        ])
      ).stdout,
    ) as { key: string };
    await runCli(['backup', join(place.path, 'backup.db'), '--database-url', join(place.path, 'a.db')]);
    const restored = join(place.path, 'new/b.db');
    expect(
      await runCli(['restore', join(place.path, 'backup.db'), '--database-url', restored]),
    ).toMatchObject({
      status: 0,
      stdout: `Restored 0 pets to ${restored}.\nIts API keys are those of the backup: one that was revoked later can be used again. See petstore keys list.\n`,
    });
    await using service = await startService({ databaseUrl: restored });
    const response = await fetch(`${service.url}/v1/pets`, { headers: { Authorization: `Bearer ${key}` } });
    expect(response.status).toBe(200);
    expect(statSync(restored).mode & 0o777).toBe(0o600);
  });

  it('refuses a store in use, with or without --force', async () => {
    await using service = await startService();
    using place = makeFolder();
    await runCli(['backup', join(place.path, 'backup.db'), '--database-url', service.database]);
    for (const force of [[], ['--force']]) {
      expect(
        await runCli([
          'restore',
          join(place.path, 'backup.db'),
          '--database-url',
          service.database,
          ...force,
        ]),
      ).toMatchObject({ status: 1, stderr: expect.stringContaining('is in use') });
    }
    expect((await service.call('/readyz')).status).toBe(200);
  });

  it('replaces pets, or a damaged store, only with --force', async () => {
    using place = makeFolder();
    const store = join(place.path, 'petstore.db');
    await runCli(['keys', 'create', '--name', 'till', '--database-url', store]);
    await runCli(['backup', join(place.path, 'empty.db'), '--database-url', store]);
    addPetTo(store);
    const restore = (...more: string[]) =>
      runCli(['restore', join(place.path, 'empty.db'), '--database-url', store, ...more]);
    expect(await restore()).toMatchObject({ status: 1, stderr: expect.stringContaining('add --force') });
    expect(readPets(store)).toHaveLength(1);
    expect(await restore('--force')).toMatchObject({ status: 0 });
    expect(readPets(store)).toHaveLength(0);

    const [csv, bare] = [join(place.path, 'pets.csv'), join(place.path, 'bare.db')];
    await writeFile(csv, 'name,categoryId\nRex,1\n');
    // As the file of a new store is, while all of it is in the log.
    const database = new Database(bare);
    database.run('PRAGMA journal_mode = WAL');
    database.close();
    for (const file of [csv, bare]) {
      expect(await runCli(['restore', file, '--force', '--database-url', store])).toMatchObject({
        status: 1,
        stderr: `petstore: ${file} is not a backup. Name a file that petstore backup has made.\n`,
      });
    }

    await writeFile(store, 'no database any more');
    expect(await restore()).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('is not a database'),
    });
    expect(await restore('--force')).toMatchObject({ status: 0 });
    expect(readPets(store)).toHaveLength(0);
  });

  it('ignores the log of a store that was moved away', async () => {
    await using service = await startService();
    const backup = join(service.folder, 'backup.db');
    await runCli(['backup', backup, '--database-url', service.database]);
    await addPet(service.call);
    await service.kill9();
    expect(existsSync(`${service.database}-wal`)).toBe(true);
    renameSync(service.database, `${service.database}.old`);
    expect(await runCli(['restore', backup, '--database-url', service.database])).toMatchObject({
      status: 0,
    });
    expect(readPets(service.database)).toEqual([]);
  });

  it('refuses an incomplete backup, and leaves the store alone', async () => {
    using place = makeFolder();
    const store = join(place.path, 'petstore.db');
    await runCli(['keys', 'create', '--name', 'till', '--database-url', store]);
    await runCli(['backup', join(place.path, 'backup.db'), '--database-url', store]);
    const whole = await Bun.file(join(place.path, 'backup.db')).bytes();
    await writeFile(join(place.path, 'half.db'), whole.subarray(0, whole.length / 2));
    await writeFile(join(place.path, 'text.db'), 'some text');
    const fresh = join(place.path, 'new.db');
    for (const [name, target] of [
      ['half.db', store],
      ['half.db', fresh],
      ['text.db', fresh],
      ['none.db', store],
      ['.', fresh],
    ] as const) {
      const command = ['restore', join(place.path, name), '--database-url', target, '--force'];
      expect(await runCli(command)).toMatchObject({
        status: 1,
        stderr: expect.stringMatching(/^petstore: .*\n$/),
      });
    }
    expect(readdirSync(place.path).filter((name) => /new|partial/.test(name))).toEqual([]);
    expect((await runCli(['keys', 'list', '--database-url', store])).stdout).toContain('till');
  });
});

function addPetTo(path: string): void {
  using database = new Database(path);
  insertPet(database, 1n, { name: 'Rex', categoryId: 1n });
}

async function statesOf(at: string[]): Promise<unknown[]> {
  const { stdout } = await runCli(['keys', 'list', '--json', ...at]);
  const keys = JSON.parse(stdout) as Record<'id' | 'state' | 'expiresAt' | 'revokedAt', string | null>[];
  return keys.map(({ id, state, expiresAt, revokedAt }) => ({ id, state, expiresAt, revokedAt }));
}
