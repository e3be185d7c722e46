import { Database } from 'bun:sqlite';
import { describe, expect, it } from 'bun:test';
import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { openSqliteStore } from '../../src/stores/sqlite/open.ts';
import { codeOf } from '../support/code-of.ts';
import { addPet } from '../support/http/calls.ts';
import { runCli, startService } from '../support/process/process.ts';
import { useStoreFolder } from '../support/process/store-folder.ts';
import { insertPet } from '../support/insert-pet.ts';
import { isOpenElsewhere } from '../support/process/open-files.ts';
import { readPets } from '../support/journal.ts';
import { createPet } from '../support/changes.ts';

const at = useStoreFolder();
const { inFolder, run } = at;

describe('petstore restore', () => {
  it('warns about revoked keys when it replaces a store that does not know them', async () => {
    await run('keys', 'create', '--name', 'till');
    await run('backup', 'backup.db');
    const fresh = ['--database-url', inFolder('fresh.db')];
    await runCli(['keys', 'create', '--name', 'first-start', ...fresh]);
    const { stdout } = await runCli(['restore', inFolder('backup.db'), ...fresh]);
    expect(stdout).toContain('one that was revoked later can be used again');
  });

  it('keeps keys revoked or expiring as they were in the replaced store', async () => {
    for (const name of ['kept', 'leaked', 'rotated']) await run('keys', 'create', '--name', name);
    await run('backup', 'backup.db');
    await run('keys', 'revoke', '2');
    await run('keys', 'rotate', '3');
    const listed = await listStates();
    expect(listed).toMatchObject([
      { state: 'active', expiresAt: null },
      { state: 'revoked' },
      { state: 'active', expiresAt: expect.any(String) },
      { state: 'active', expiresAt: null },
    ]);
    expect(await run('restore', 'backup.db')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^Restored 0 pets to .*\nThe store that was there is kept as .*\n$/),
    });
    expect(await listStates()).toEqual(listed.slice(0, 3));
  });

  it('begins a new log of events: a cursor of the replaced store is refused, and one event says to list again', async () => {
    const replaced = openSqliteStore({ path: at.store });
    await replaced.pets.apply(createPet({ name: 'Rex', categoryId: 1n }));
    const { next: after } = await replaced.events.listEvents({ limit: 100 });
    await replaced.close();
    await run('backup', 'backup.db');
    expect(await run('restore', 'backup.db', '--force')).toMatchObject({ status: 0 });
    const restored = openSqliteStore({ path: at.store });
    const refused = await codeOf(Promise.try(() => restored.events.listEvents({ after, limit: 100 })));
    const { json } = await restored.events.listEvents({ limit: 100 });
    await restored.close();
    expect(refused).toBe('events_gone');
    expect(JSON.parse(json)).toMatchObject([{ type: 'pets.imported', count: 1 }]);
  });

  it('suggests --latest for a folder', async () => {
    const { status, stderr } = await run('restore', at.path);
    expect(status).toBe(1);
    expect(stderr).toContain('is not a file. Name a file that petstore backup has made.');
    expect(stderr).toContain('add --latest');
  });

  it('refuses a file that has its own log', async () => {
    await using service = await startService();
    await addPet(service.call);
    await service.kill9();
    expect(await run('restore', service.database)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('has a log beside it'),
    });
    expect(existsSync(at.store)).toBe(false);
    await runCli(['backup', inFolder('backup.db'), '--database-url', service.database]);
    expect(await run('restore', 'backup.db')).toMatchObject({ status: 0 });
    expect(readPets(at.store)).toHaveLength(1);
  });

  it('makes other commands wait, and tells those that wait too long why', async () => {
    await run('keys', 'create', '--name', 'till');
    using held = new Database(at.store);
    held.run('PRAGMA locking_mode = EXCLUSIVE');
    held.run('BEGIN EXCLUSIVE');
    expect(await run('keys', 'create', '--name', 'till')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(
        /^petstore: .* is locked by another process, such as petstore restore\..*\n$/,
      ),
    });
  });

  it('lets a waiting command use the new store, and never the old store with the new log', async () => {
    await run('keys', 'create', '--name', 'old');
    const next = inFolder('next.db');
    await runCli(['seed', '--count', '50', '--database-url', next]);
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
      expect(await waiting).toMatchObject({ status: 0 });
      expect((await store.keys.listKeys()).map(({ name }) => name)).toEqual(['late']);
    } finally {
      await store.close();
    }
    expect(readPets(at.store)).toHaveLength(51);
  });

  it('restores everything, keys included, where there was no store', async () => {
    const { stdout } = await run('keys', 'create', '--name', 'till', '--json');
    const { key } = JSON.parse(stdout) as { key: string };
    await run('backup', 'backup.db');
    const restored = inFolder('new/b.db');
    expect(await runCli(['restore', inFolder('backup.db'), '--database-url', restored])).toMatchObject({
      status: 0,
      stdout: `Restored 0 pets to ${restored}.\nIts API keys are those of the backup: one that was revoked later can be used again. See petstore keys list.\n`,
    });
    await using service = await startService({ databaseUrl: restored });
    expect((await service.callWith(key, '/v1/pets')).status).toBe(200);
    expect(statSync(restored).mode & 0o777).toBe(0o600);
  });

  it('refuses a store in use, with or without --force', async () => {
    await using service = await startService({ databaseUrl: at.store });
    await run('backup', 'backup.db');
    for (const force of [[], ['--force']]) {
      const stderr = expect.stringContaining('is in use');
      expect(await run('restore', 'backup.db', ...force)).toMatchObject({ status: 1, stderr });
    }
    expect((await service.call('/readyz')).status).toBe(200);
  });

  it('replaces pets, or a damaged store, only with --force', async () => {
    await run('keys', 'create', '--name', 'till');
    await run('backup', 'empty.db');
    addPetTo(at.store);
    const restore = (...more: string[]) => run('restore', 'empty.db', ...more);
    expect(await restore()).toMatchObject({ status: 1, stderr: expect.stringContaining('add --force') });
    expect(readPets(at.store)).toHaveLength(1);
    expect(await restore('--force')).toMatchObject({ status: 0 });
    expect(readPets(at.store)).toHaveLength(0);

    const [csv, bare] = [inFolder('pets.csv'), inFolder('bare.db')];
    writeFileSync(csv, 'name,categoryId\nRex,1\n');
    // As the file of a new store is, while all of it is in the log.
    const database = new Database(bare);
    database.run('PRAGMA journal_mode = WAL');
    database.close();
    for (const file of [csv, bare]) {
      expect(await run('restore', file, '--force')).toMatchObject({
        status: 1,
        stderr: `petstore: ${file} is not a backup. Name a file that petstore backup has made.\n`,
      });
    }

    writeFileSync(at.store, 'no database any more');
    expect(await restore()).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('is not a database'),
    });
    expect(await restore('--force')).toMatchObject({ status: 0 });
    expect(readPets(at.store)).toHaveLength(0);
  });

  it('refuses an incomplete backup, and leaves the store alone', async () => {
    await run('keys', 'create', '--name', 'till');
    await run('backup', 'backup.db');
    const whole = readFileSync(inFolder('backup.db'));
    writeFileSync(inFolder('half.db'), whole.subarray(0, whole.length / 2));
    writeFileSync(inFolder('text.db'), 'some text');
    const [store, fresh] = [at.store, inFolder('new.db')];
    for (const [name, target] of [
      ['half.db', store],
      ['half.db', fresh],
      ['text.db', fresh],
      ['none.db', store],
      ['.', fresh],
    ] as const) {
      const command = ['restore', inFolder(name), '--database-url', target, '--force'];
      expect(await runCli(command)).toMatchObject({
        status: 1,
        stderr: expect.stringMatching(/^petstore: .*\n$/),
      });
    }
    expect(readdirSync(at.path).filter((name) => /new|partial/.test(name))).toEqual([]);
    expect((await run('keys', 'list')).stdout).toContain('till');
  });
});

function addPetTo(path: string): void {
  using database = new Database(path);
  insertPet(database, 1n, { name: 'Rex', categoryId: 1n });
}

async function listStates(): Promise<unknown[]> {
  const { stdout } = await run('keys', 'list', '--json');
  const keys = JSON.parse(stdout) as Record<'id' | 'state' | 'expiresAt' | 'revokedAt', string | null>[];
  return keys.map(({ id, state, expiresAt, revokedAt }) => ({ id, state, expiresAt, revokedAt }));
}
