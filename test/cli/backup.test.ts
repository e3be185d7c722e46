import { Database } from 'bun:sqlite';
import { describe, expect, it } from 'bun:test';
import { existsSync, readdirSync, renameSync, statSync } from 'node:fs';
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

describe('petstore restore', () => {
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
      stdout: `Restored 0 animals to ${restored}.\n`,
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
    for (const name of ['half.db', 'text.db', 'none.db']) {
      const { status } = await runCli([
        'restore',
        join(place.path, name),
        '--database-url',
        store,
        '--force',
      ]);
      expect(status).toBe(1);
    }
    expect((await runCli(['keys', 'list', '--database-url', store])).stdout).toContain('till');
  });
});

function addAnimal(path: string): void {
  using database = new Database(path);
  insertPet(database, 1n, { name: 'Rex', categoryId: 1n });
}
