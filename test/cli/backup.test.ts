import { Database } from 'bun:sqlite';
import { describe, expect, it } from 'bun:test';
import { existsSync, readdirSync, readlinkSync, realpathSync, renameSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder, runCli, startService } from '../process.ts';
import { insertPet } from '../sqlite/insert-pet.ts';
import { createAnimals, Journal, readAnimals } from './journal.ts';

describe('petstore backup', () => {
  it('holds whatever was acknowledged before it, while creates go on', async () => {
    await using service = await startService();
    const journal = new Journal();
    let isDone = false;
    const creators = Array.from({ length: 8 }, (_, index) =>
      createAnimals({ journal, url: () => service.url, isDone: () => isDone, label: `creator-${index}` }),
    );
    while (journal.acknowledged.size < 100) await Bun.sleep(5);

    const file = join(dirname(service.database), 'backup.db');
    const before = [...journal.acknowledged.keys()];
    const { status, stdout } = await runCli(['backup', file, '--database-url', service.database]);
    isDone = true;
    await Promise.all(creators);

    expect(status).toBe(0);
    expect(stdout).toMatch(/^Backed up [\d,]+ animals to .*, and read it back\.\n$/);
    const saved = new Set(readAnimals(file).map(({ name }) => name));
    expect(before.filter((name) => !saved.has(name))).toEqual([]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(dirname(file)).filter((name) => name.startsWith('backup.db'))).toEqual(['backup.db']);
  });

  it('writes over nothing, and finds nothing where there is no store', async () => {
    using place = makeFolder();
    const store = join(place.path, 'petstore.db');
    await runCli(['keys', 'create', '--name', 'till', '--database-url', store]);
    await writeFile(join(place.path, 'backup.db'), 'precious');
    const taken = await runCli(['backup', join(place.path, 'backup.db'), '--database-url', store]);
    expect(taken).toMatchObject({ status: 1, stderr: expect.stringContaining('is not written over') });
    expect(await Bun.file(join(place.path, 'backup.db')).text()).toBe('precious');

    const none = await runCli([
      'backup',
      join(place.path, 'other.db'),
      '--database-url',
      join(place.path, 'none.db'),
    ]);
    expect(none).toMatchObject({ status: 1, stderr: expect.stringContaining('There is no store') });
    expect(existsSync(join(place.path, 'none.db'))).toBe(false);
  });
});

describe('a backup that is being made', () => {
  it('is readable by its owner alone from the beginning', async () => {
    using place = makeFolder();
    await runCli(['seed', '--count', '20000', '--database-url', place.database]);
    const rights = new Set<number>();
    for (let number = 0; rights.size === 0; number++) {
      const file = join(place.path, `${number}.db`);
      const made = runCli(['backup', file, '--database-url', place.database]);
      const isMade = settledIn(made);
      while (!isMade()) {
        const partial = statSync(`${file}.partial`, { throwIfNoEntry: false });
        if (partial) rights.add(partial.mode & 0o777);
        await new Promise(setImmediate);
      }
      expect(await made).toMatchObject({ status: 0 });
    }
    expect([...rights]).toEqual([0o600]);
  });
});

describe('an animal that the disk has changed', () => {
  it('is in no backup, comes from none, and is found by the doctor', async () => {
    using place = makeFolder();
    const backup = join(place.path, 'backup.db');
    await runCli(['seed', '--count', '3', '--database-url', place.database]);
    await runCli(['backup', backup, '--database-url', place.database]);
    for (const file of [place.database, backup]) {
      using database = new Database(file);
      database.run(`UPDATE pets SET json = replace(json, '"categoryId":', '"categoryId":1') WHERE id = 2`);
    }
    const commands = [
      ['backup', join(place.path, 'other.db'), '--database-url', place.database],
      ['restore', backup, '--force', '--database-url', place.database],
      ['restore', backup, '--database-url', join(place.path, 'new.db')],
    ];
    for (const command of commands) {
      expect(await runCli(command)).toMatchObject({
        status: 1,
        stderr: expect.stringMatching(/^petstore: The database .*\.db is damaged\..*\n$/),
      });
    }
    expect(readdirSync(place.path).filter((name) => !name.startsWith('petstore.db'))).toEqual(['backup.db']);
    expect((await runCli(['doctor', '--port', '0', '--database-url', place.database])).stdout).toContain(
      'is damaged',
    );
  });
});

describe('petstore restore', () => {
  it('says so where a new store takes the place of the one that knew which keys are revoked', async () => {
    using place = makeFolder();
    const backup = join(place.path, 'backup.db');
    await runCli(['keys', 'create', '--name', 'till', '--database-url', place.database]);
    await runCli(['backup', backup, '--database-url', place.database]);
    const fresh = join(place.path, 'fresh.db');
    await runCli(['keys', 'create', '--name', 'first-start', '--database-url', fresh]);
    const { stdout } = await runCli(['restore', backup, '--database-url', fresh]);
    expect(stdout).toContain('one that was revoked later can be used again');
  });

  it('leaves keys revoked that the replaced store had revoked', async () => {
    using place = makeFolder();
    const backup = join(place.path, 'backup.db');
    const at = ['--database-url', place.database];
    for (const name of ['kept', 'leaked']) await runCli(['keys', 'create', '--name', name, ...at]);
    await runCli(['backup', backup, ...at]);
    await runCli(['keys', 'revoke', '2', ...at]);
    const listed = await runCli(['keys', 'list', ...at]);
    expect(listed.stdout).toContain('revoked');
    expect(await runCli(['restore', backup, ...at])).toMatchObject({
      status: 0,
      stdout: `Restored 0 animals to ${place.database}.\n`,
    });
    expect(await runCli(['keys', 'list', ...at])).toEqual(listed);
  });

  it('refuses a file without the log that belongs to it', async () => {
    await using service = await startService();
    const answer = await service.call('/v1/pets', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"name":"Rex","categoryId":1}',
    });
    expect(answer.status).toBe(201);
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
    expect(readAnimals(place.database)).toHaveLength(1);
  });

  it('is noticed by whoever waited for it, who would serve a file without a name', async () => {
    using place = makeFolder();
    const at = ['--database-url', place.database];
    await runCli(['keys', 'create', '--name', 'till', ...at]);
    await runCli(['backup', join(place.path, 'backup.db'), ...at]);
    // As a restore does: the lock, the new file, and only then the end of the lock.
    using replaced = new Database(place.database);
    replaced.run('PRAGMA journal_mode = DELETE');
    replaced.run('BEGIN EXCLUSIVE');
    const waiting = runCli(['keys', 'create', '--name', 'lost', ...at]);
    const isOver = settledIn(waiting);
    while (!isOver() && !isOpenElsewhere(place.database)) await Bun.sleep(1);
    renameSync(join(place.path, 'backup.db'), place.database);
    replaced.run('ROLLBACK');
    expect(await waiting).toMatchObject({ status: 1, stderr: expect.stringContaining('was replaced') });
    expect((await runCli(['keys', 'list', ...at])).stdout).not.toContain('lost');
  });

  it('brings everything back, keys included, to a place where nothing was', async () => {
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
      stdout: `Restored 0 animals to ${restored}.\nIts API keys are those of the backup: one that was revoked later can be used again. See petstore keys list.\n`,
    });
    await using service = await startService({ databaseUrl: restored });
    const answer = await fetch(`${service.url}/v1/pets`, { headers: { Authorization: `Bearer ${key}` } });
    expect(answer.status).toBe(200);
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

  it('replaces animals, or a damaged store, only by force', async () => {
    using place = makeFolder();
    const store = join(place.path, 'petstore.db');
    await runCli(['keys', 'create', '--name', 'till', '--database-url', store]);
    await runCli(['backup', join(place.path, 'empty.db'), '--database-url', store]);
    addAnimal(store);
    const restore = (...more: string[]) =>
      runCli(['restore', join(place.path, 'empty.db'), '--database-url', store, ...more]);
    expect(await restore()).toMatchObject({ status: 1, stderr: expect.stringContaining('add --force') });
    expect(readAnimals(store)).toHaveLength(1);
    expect(await restore('--force')).toMatchObject({ status: 0 });
    expect(readAnimals(store)).toHaveLength(0);

    await writeFile(store, 'no database any more');
    expect(await restore()).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('is not a database'),
    });
    expect(await restore('--force')).toMatchObject({ status: 0 });
    expect(readAnimals(store)).toHaveLength(0);
  });

  it('is not joined by what a store that was moved away has left behind', async () => {
    await using service = await startService();
    const backup = join(service.folder, 'backup.db');
    await runCli(['backup', backup, '--database-url', service.database]);
    const answer = await service.call('/v1/pets', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"name":"Rex","categoryId":1}',
    });
    expect(answer.status).toBe(201);
    await service.kill9();
    expect(existsSync(`${service.database}-wal`)).toBe(true);
    renameSync(service.database, `${service.database}.old`);
    expect(await runCli(['restore', backup, '--database-url', service.database])).toMatchObject({
      status: 0,
    });
    expect(readAnimals(service.database)).toEqual([]);
  });

  it('refuses what is no whole backup, and leaves the store alone', async () => {
    using place = makeFolder();
    const store = join(place.path, 'petstore.db');
    await runCli(['keys', 'create', '--name', 'till', '--database-url', store]);
    await runCli(['backup', join(place.path, 'backup.db'), '--database-url', store]);
    const whole = await Bun.file(join(place.path, 'backup.db')).bytes();
    await writeFile(join(place.path, 'half.db'), whole.subarray(0, whole.length / 2));
    await writeFile(join(place.path, 'text.db'), 'some text');
    for (const name of ['half.db', 'text.db', 'none.db', '.']) {
      for (const target of [store, join(place.path, 'new.db')]) {
        const command = ['restore', join(place.path, name), '--database-url', target, '--force'];
        expect(await runCli(command)).toMatchObject({
          status: 1,
          stderr: expect.stringMatching(/^petstore: .*\n$/),
        });
      }
    }
    expect(readdirSync(place.path).filter((name) => /new|restoring/.test(name))).toEqual([]);
    expect((await runCli(['keys', 'list', '--database-url', store])).stdout).toContain('till');
  });
});

function settledIn(promise: Promise<unknown>): () => boolean {
  let isSettled = false;
  void promise.finally(() => (isSettled = true));
  return () => isSettled;
}

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

function addAnimal(path: string): void {
  using database = new Database(path);
  insertPet(database, 1n, { name: 'Rex', categoryId: 1n });
}
