import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'bun:test';
import { linkSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addPet, addPets, idsOf, outcomeOf, post, rex } from '../../support/http/calls.ts';
import {
  makeFolder,
  runCli,
  startService,
  type Folder,
  type Service,
} from '../../support/process/process.ts';
import { hashesOf } from '../../support/file-hashes.ts';
import { isOpenElsewhere } from '../../support/process/open-files.ts';
import { startCommand } from '../../support/process/running.ts';

let folder: Folder;

beforeEach(() => {
  folder = makeFolder();
});
afterEach(() => folder[Symbol.dispose]());

const inFolder = (...names: string[]) => join(folder.path, ...names);
const create = ({ call }: Service) => outcomeOf(call('/v1/pets', post(rex)));

function petCount(path: string): number {
  using store = new Database(path, { readwrite: true, create: false });
  return (store.query('SELECT count(*) AS count FROM pets').get() as { count: number }).count;
}

const untilLogged = (service: Service, line: string, times: number) =>
  service.untilLogged(new RegExp(Array(times).fill(line).join('[^]*')));

/** Waits until the service has noticed as often as that; each of its processes does. */
async function expectNoticed(service: Service, times = 1): Promise<void> {
  await untilLogged(service, '"level":"error".*The store was moved, replaced or removed', times);
  expect(await create(service)).toBe('503 unavailable');
  expect(await outcomeOf(service.call('/v1/pets'))).toBe('503 unavailable');
  expect(await outcomeOf(service.call('/livez'))).toBe('200');
  // The last check may have been before.
  while ((await service.call('/readyz')).status === 200) await Bun.sleep(50);
}

const ways: { way: string; takeAway: () => void; putBack: () => void }[] = [
  {
    way: 'replaced by a backup',
    takeAway() {
      linkSync(inFolder('petstore.db'), inFolder('old.db'));
      renameSync(inFolder('backup.db'), inFolder('petstore.db'));
    },
    putBack() {
      linkSync(inFolder('petstore.db'), inFolder('backup.db'));
      renameSync(inFolder('old.db'), inFolder('petstore.db'));
    },
  },
  {
    way: 'moved away',
    takeAway: () => renameSync(inFolder('petstore.db'), inFolder('old.db')),
    putBack: () => renameSync(inFolder('old.db'), inFolder('petstore.db')),
  },
  {
    way: 'moved away with a link left in its place',
    takeAway() {
      renameSync(inFolder('petstore.db'), inFolder('old.db'));
      symlinkSync('old.db', inFolder('petstore.db'));
    },
    putBack: () => renameSync(inFolder('old.db'), inFolder('petstore.db')),
  },
  {
    way: 'left without its log',
    takeAway: () => renameSync(inFolder('petstore.db-wal'), inFolder('old-wal')),
    putBack: () => renameSync(inFolder('old-wal'), inFolder('petstore.db-wal')),
  },
  {
    way: 'left without its shared memory',
    takeAway: () => renameSync(inFolder('petstore.db-shm'), inFolder('old-shm')),
    putBack: () => renameSync(inFolder('old-shm'), inFolder('petstore.db-shm')),
  },
];

describe.each([1, 2])('a running service with %p workers', (workers) => {
  it('refuses every call while its store is not in its place, and serves again when it is back', async () => {
    await using service = await startService({ databaseUrl: folder.database, workers });
    await addPets(service.call, 3);
    await runCli(['backup', inFolder('backup.db'), '--database-url', folder.database]);
    for (const [index, { way, takeAway, putBack }] of ways.entries()) {
      takeAway();
      // At once, without waiting until anything is noticed.
      for (let count = 0; count < 20; count++) {
        expect([way, await create(service)]).toEqual([way, '503 unavailable']);
      }
      await expectNoticed(service, workers * (index + 1));
      putBack();
      await untilLogged(service, 'The store is back in its place', workers * (index + 1));
      expect([way, await create(service)]).toEqual([way, '201']);
    }
    expect(await service.stop()).toBe(0);
    expect([petCount(folder.database), petCount(inFolder('backup.db'))]).toEqual([3 + ways.length, 3]);
  });
});

describe('a running service', () => {
  it('keeps creating when the folder of its store is moved and a link is left in its place', async () => {
    mkdirSync(inFolder('disk'));
    await using service = await startService({ databaseUrl: inFolder('disk', 's.db') });
    await addPet(service.call);
    renameSync(inFolder('disk'), inFolder('moved'));
    symlinkSync('moved', inFolder('disk'));
    for (let round = 0; round < 8; round++) {
      await addPet(service.call);
      await Bun.sleep(100);
    }
    expect(service.stdout).not.toContain('The store was moved');
    expect(petCount(inFolder('moved', 's.db'))).toBe(9);
  });

  it('never creates in another store behind a folder link that was changed', async () => {
    for (const disk of ['one', 'two']) {
      mkdirSync(inFolder(disk));
      await runCli([
        'seed',
        '--count',
        disk === 'one' ? '3' : '100',
        '--database-url',
        inFolder(disk, 's.db'),
      ]);
    }
    symlinkSync('one', inFolder('current'));
    const database = inFolder('current', 's.db');
    await using service = await startService({ databaseUrl: database });
    expect(await addPet(service.call)).toBe('4');
    // A write that fails, here because the lock is held for too long, makes the writer connect again.
    const holder = new Database(inFolder('one', 's.db'));
    holder.run('BEGIN IMMEDIATE');
    expect(await create(service)).toBe('503 unavailable');
    symlinkSync('two', inFolder('next'));
    renameSync(inFolder('next'), inFolder('current'));
    holder.run('ROLLBACK');
    holder.close();
    for (let count = 0; count < 10; count++) expect(await create(service)).toBe('503 unavailable');
    await expectNoticed(service);
    expect(await service.stop()).toBe(0);
    expect([petCount(inFolder('one', 's.db')), petCount(inFolder('two', 's.db'))]).toEqual([4, 100]);
  });
});

describe.each([
  ['-shm', ['keys revoke 1', 'export']],
  ['-wal', ['seed --count 50', 'doctor']],
  ['-shm and -wal', ['keys revoke 1', 'seed --count 50', 'export', 'doctor']],
] as const)('a running service whose %s was removed', (lost, commands) => {
  it('refuses every call, and commands refuse the store, until it is started again', async () => {
    await using service = await startService({ databaseUrl: folder.database });
    const at = ['--database-url', folder.database];
    await runCli(['keys', 'create', '--name', 'till', ...at]);
    await addPets(service.call, 3);
    for (const suffix of lost.split(' and ')) rmSync(inFolder(`petstore.db${suffix}`));
    for (const { status, stdout, stderr } of await Promise.all(
      commands.map((command) => runCli([...command.split(' '), ...at])),
    )) {
      expect([status, stdout + stderr]).toEqual([
        1,
        expect.stringContaining('its log or its shared memory is missing'),
      ]);
    }
    await expectNoticed(service);
    expect(await service.stop()).toBe(0);
    if (lost.includes('-wal')) return;
    expect(await runCli(['keys', 'revoke', '1', ...at])).toMatchObject({ status: 0 });
    await using again = await startService({ databaseUrl: folder.database });
    expect(idsOf(await (await again.call('/v1/pets')).text())).toEqual(['1', '2', '3']);
    expect(await create(again)).toBe('201');
  });
});

describe('a running service whose shared memory was removed', () => {
  it('never moves its log into the file again, not even when it stops', async () => {
    await using service = await startService({ databaseUrl: folder.database });
    await addPets(service.call, 3);
    rmSync(inFolder('petstore.db-shm'));
    await expectNoticed(service);
    // Another program does not know our rules.
    const program = `
      const { Database } = require('bun:sqlite');
      const database = new Database(process.argv[1]);
      database.run("INSERT INTO write_probe VALUES (1, 7) ON CONFLICT DO UPDATE SET probed_at = 7");
      process.kill(process.pid, 'SIGKILL');`;
    Bun.spawnSync([process.execPath, '-e', program, folder.database]);
    const before = hashesOf(folder.path);
    expect(await service.stop()).toBe(0);
    expect(hashesOf(folder.path)).toEqual(before);
    using database = new Database(folder.database);
    expect(database.query('SELECT probed_at AS at FROM write_probe').get()).toEqual({ at: 7 });
  });
});

describe('the log of a service whose store was replaced', () => {
  it('says how to use the new file and keep the old one whole', async () => {
    await using service = await startService({ databaseUrl: folder.database });
    await runCli(['seed', '--count', '30', '--database-url', inFolder('other.db')]);
    await addPets(service.call, 3);
    linkSync(inFolder('petstore.db'), inFolder('old.db'));
    renameSync(inFolder('other.db'), inFolder('petstore.db'));
    expect(await create(service)).toBe('503 unavailable');
    const [, log = '', memory = ''] = await service.untilLogged(/first move (\S+) and (\S+) away/);
    await service.stop();
    renameSync(log, inFolder('old.db-wal'));
    renameSync(memory, inFolder('old.db-shm'));
    expect([petCount(folder.database), petCount(inFolder('old.db'))]).toEqual([30, 3]);
  });
});

describe('a command that finds a store without side files', () => {
  it('goes on as soon as a service that starts at the same time has made them', async () => {
    const at = ['--database-url', folder.database];
    await runCli(['seed', '--count', '1', ...at]);
    using service = new Database(folder.database);
    service.run('PRAGMA busy_timeout = 60000');
    service.run('PRAGMA journal_mode = DELETE');
    service.run('BEGIN IMMEDIATE');
    await using command = startCommand(['keys', 'list', ...at], folder.path);
    while (!readdirSync(folder.path).some((name) => name.includes('.locking-'))) await Bun.sleep(1);
    service.run('COMMIT');
    service.run('PRAGMA journal_mode = WAL');
    service.query('SELECT count(*) FROM pets').get();
    expect([await command.ended, command.stderr]).toEqual([0, `Store: ${folder.database}\n`]);
  });
});

describe('petstore import', () => {
  it('does not add to a file that was replaced', async () => {
    const path = inFolder('pets.ndjson');
    writeFileSync(path, '{"name":"Rex","categoryId":1}\n');
    await runCli(['seed', '--count', '1', '--database-url', inFolder('other.db')]);
    await runCli(['seed', '--count', '1', '--database-url', folder.database]);
    // The first batch waits for this lock, until the file is another one.
    const holder = new Database(folder.database);
    holder.run('BEGIN IMMEDIATE');
    await using command = startCommand(['import', path, '--database-url', folder.database], folder.path);
    while (!isOpenElsewhere(folder.database)) await Bun.sleep(5);
    await Bun.sleep(100);
    renameSync(inFolder('other.db'), folder.database);
    holder.run('ROLLBACK');
    holder.close();
    expect(await command.ended).toBe(1);
    expect(command.stderr).toMatch(/is no longer the file that was opened|was replaced/);
  });
});

describe('commands that wait for a restore', () => {
  it('succeed, or end with a line that says what happened', async () => {
    const at = ['--database-url', folder.database];
    await runCli(['seed', '--count', '10', ...at]);
    await runCli(['backup', inFolder('backup.db'), ...at]);
    const expected =
      /^$|^Store: \S+\n$|exported|was replaced while it was being opened|is in use|is locked by another process|was interrupted, or is under way|was changed while it was being read/;
    for (let round = 0; round < 2; round++) {
      const commands = [
        runCli(['restore', inFolder('backup.db'), '--force', ...at]),
        ...Array.from({ length: 4 }, () => runCli(['keys', 'list', ...at])),
        runCli(['export', ...at]),
      ];
      for (const { status, stderr } of await Promise.all(commands)) {
        expect(stderr).toMatch(expected);
        expect(status === 0).toBe(!stderr.includes('petstore:'));
      }
    }
    expect(petCount(folder.database)).toBe(10);
  });
});
