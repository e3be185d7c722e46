import { Database } from 'bun:sqlite';
import { describe, expect, it } from 'bun:test';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { getPriority } from 'node:os';
import { dirname, join } from 'node:path';
import {
  cleanEnvironment,
  makeFolder,
  petstoreCommand,
  runCli,
  startService,
} from '../support/process/process.ts';
import { readPets, startLoad } from '../support/journal.ts';
import { runOnTerminal } from '../support/process/terminal.ts';

describe('petstore backup', () => {
  it('copies everything that was acknowledged before, while creates go on', async () => {
    await using service = await startService();
    const load = startLoad({ url: () => service.url });
    await load.untilAcknowledged(100);

    const file = join(dirname(service.database), 'backup.db');
    const before = [...load.journal.acknowledged.keys()];
    const { status, stdout } = await runCli(['backup', file, '--database-url', service.database]);
    await load.stop();

    expect(status).toBe(0);
    expect(stdout).toMatch(/^Backed up [\d,]+ pets of .* to .*, and read it back\.\n$/);
    const saved = new Set(readPets(file).map(({ name }) => name));
    expect(before.filter((name) => !saved.has(name))).toEqual([]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(dirname(file)).filter((name) => name.startsWith('backup.db'))).toEqual(['backup.db']);
  });

  it('runs with the lowest priority', async () => {
    using place = makeFolder();
    await runCli(['seed', '--count', '3', '--database-url', place.database]);
    const priorities = new Set<number>();
    let pid = 0;
    // The command waits for the bucket, so its priority can be read.
    const bucket = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch() {
        priorities.add(getPriority(pid));
        return new Response(null, { status: 403 });
      },
    });
    const child = Bun.spawn(petstoreCommand(['backup', 's3://bucket', '--database-url', place.database]), {
      cwd: place.path,
      env: cleanEnvironment({
        S3_ENDPOINT: bucket.url.href,
        S3_ACCESS_KEY_ID: 'id',
        S3_SECRET_ACCESS_KEY: 'secret',
      }),
      stdio: ['ignore', 'ignore', 'ignore'],
      timeout: 60_000,
    });
    pid = child.pid;
    expect(await child.exited).toBe(1);
    await bucket.stop(true);
    expect([...priorities]).toEqual([19]);
  });

  it('overwrites nothing, and refuses a store that does not exist', async () => {
    using place = makeFolder();
    const store = join(place.path, 'petstore.db');
    await runCli(['keys', 'create', '--name', 'till', '--database-url', store]);
    await writeFile(join(place.path, 'backup.db'), 'precious');
    const taken = await runCli(['backup', join(place.path, 'backup.db'), '--database-url', store]);
    expect(taken).toMatchObject({ status: 1, stderr: expect.stringContaining('is not overwritten') });
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

describe('backup, restore and doctor', () => {
  it('show their progress on a terminal, and nothing elsewhere', async () => {
    using place = makeFolder();
    const backup = join(place.path, 'backup.db');
    await runCli(['seed', '--count', '3000', '--database-url', place.database]);
    const read = String.raw`█+ pets read 3,000 of 3,000, [\d,]+/s`;

    const made = await runOnTerminal(['backup', backup, '--database-url', place.database]);
    expect(made.screen).toMatch(
      new RegExp(`^Checking .*\\.db …\nCopying .*\\.db …\nChecking the copy …\n[^\n]*${read}`),
    );
    expect(made.screen).toMatch(/\nBacked up 3,000 pets of .* to .*\n$/);
    const command = ['restore', backup, '--force', '--database-url', place.database];
    const restored = await runOnTerminal(command);
    expect(restored.screen).toMatch(new RegExp(`^Copying .*\\.db …\nChecking the copy …\n[^\n]*${read}`));
    const doctor = ['doctor', '--port', '0', '--database-url', place.database];
    const checked = await runOnTerminal(doctor);
    expect(checked.screen).toMatch(new RegExp(`^Checking .*\\.db …\n[^\n]*${read}`));

    for (const quiet of [command, doctor, ['backup', `${backup}-2`, '--database-url', place.database]]) {
      expect(await runCli(quiet)).toMatchObject({ status: 0, stderr: '' });
    }
  });
});

describe('an unfinished backup', () => {
  it('is readable by its owner alone from the beginning', async () => {
    using place = makeFolder();
    await runCli(['seed', '--count', '20000', '--database-url', place.database]);
    const rights = new Set<number>();
    for (let number = 0; rights.size === 0; number++) {
      const file = join(place.path, `${number}.db`);
      const made = runCli(['backup', file, '--database-url', place.database]);
      const isMade = settledIn(made);
      while (!isMade()) {
        const partial = readdirSync(dirname(file)).find((name) => name.endsWith('.partial'));
        const found = partial && statSync(join(dirname(file), partial), { throwIfNoEntry: false });
        if (found) rights.add(found.mode & 0o777);
        await new Promise(setImmediate);
      }
      expect(await made).toMatchObject({ status: 0 });
    }
    expect([...rights]).toEqual([0o600]);
  });
});

describe('a pet that the disk has changed', () => {
  it('is refused by backup and restore, and found by the doctor', async () => {
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
        stderr: expect.stringMatching(/^petstore: The database .*\.db is damaged\.[^]*\n$/),
      });
    }
    expect(readdirSync(place.path).filter((name) => !name.startsWith('petstore.db'))).toEqual(['backup.db']);
    expect((await runCli(['doctor', '--port', '0', '--database-url', place.database])).stdout).toContain(
      'is damaged',
    );
  });
});

/** Tells, whenever it is asked, whether a promise is over. */
function settledIn(promise: Promise<unknown>): () => boolean {
  let isSettled = false;
  void promise.finally(() => (isSettled = true));
  return () => isSettled;
}
