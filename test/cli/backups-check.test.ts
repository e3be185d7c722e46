import { afterAll, describe, expect, it } from 'bun:test';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Backup,
  findBackup,
  nameBackup,
  openPlace,
  writeManifest,
} from '../../src/stores/backups/catalog.ts';
import { readScrape } from '../support/metrics/scrape.ts';
import { makeFolder, runCli } from '../support/process/process.ts';
import { openS3Server } from '../support/s3-server.ts';

const hourMs = 3_600_000;
const newest = 'petstore_backup_newest_timestamp_seconds';
const rehearsed = 'petstore_backup_rehearsed_timestamp_seconds';

const s3 = await openS3Server();
afterAll(() => s3[Symbol.asyncDispose]());

interface World extends Disposable {
  /** Adds a backup of this age, and returns its name. */
  add(ageMs: number): Promise<string>;
  rehearsed(name: string, ageMs: number, problem?: string): Promise<void>;
  check(...args: string[]): ReturnType<typeof runCli>;
  /** What the last check wrote for node_exporter, in seconds. */
  written(): Record<'newest' | 'rehearsed', number>;
  textfile: string;
  name: string;
}

function makeWorld(kind: 'a folder' | 'a bucket'): World {
  const folder = makeFolder();
  const name = kind === 'a folder' ? join(folder.path, 'backups') : `s3://shop/${crypto.randomUUID()}`;
  mkdirSync(join(folder.path, 'backups'));
  mkdirSync(join(folder.path, 'node-exporter'));
  const textfile = join(folder.path, 'node-exporter/petstore.prom');
  const place = openPlace(name, s3.env);
  const nothing = { bytes: 3, sha256: '0'.repeat(64), petCount: 0, orderCount: 0, keyCount: 0 };
  return {
    name,
    textfile,
    async add(ageMs) {
      const createdAt = new Date(Date.now() - ageMs);
      const backup: Backup = { name: nameBackup(createdAt), createdAt, ...nothing };
      await place.write(backup.name, 'db!');
      await writeManifest(place, backup);
      return backup.name;
    },
    async rehearsed(backup, ageMs, problem) {
      const outcome = problem === undefined ? { isSound: true } : { isSound: false, problem };
      const rehearsal = { at: new Date(Date.now() - ageMs), ...outcome };
      await writeManifest(place, { ...(await findBackup(place, backup))!, rehearsal });
    },
    check: (...args) => runCli(['backups', 'check', name, '--textfile', textfile, ...args], { env: s3.env }),
    written() {
      const scrape = readScrape(readFileSync(textfile, 'utf8'));
      return { newest: scrape.value(newest), rehearsed: scrape.value(rehearsed) };
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

const secondsAgo = (ageMs: number): number => (Date.now() - ageMs) / 1000;

describe.each(['a folder', 'a bucket'] as const)('backups check of %s', (kind) => {
  it('finds a recent backup and rehearsal, and writes the times of both', async () => {
    using world = makeWorld(kind);
    const older = await world.add(30 * hourMs);
    await world.rehearsed(older, 20 * hourMs);
    await world.add(hourMs);
    expect(await world.check()).toEqual({
      status: 0,
      stdout: `${world.name} holds a recent backup, and a restore was rehearsed.\n`,
      stderr: '',
    });
    const written = world.written();
    expect(Math.abs(written.newest - secondsAgo(hourMs))).toBeLessThan(60);
    expect(Math.abs(written.rehearsed - secondsAgo(20 * hourMs))).toBeLessThan(60);
    // node_exporter runs as another user, and must not see a file that is half written.
    expect(statSync(world.textfile).mode & 0o777).toBe(0o644);
    expect(readdirSync(join(world.textfile, '..'))).toEqual(['petstore.prom']);
  });

  it('fails when both are missing, and says so', async () => {
    using world = makeWorld(kind);
    expect(await world.check()).toEqual({
      status: 1,
      stdout: '',
      stderr: `petstore: ${world.name}: There is no whole backup. No backup was rehearsed.\n`,
    });
    expect(world.written()).toEqual({ newest: 0, rehearsed: 0 });
  });
});

describe('backups check', () => {
  it('fails when either is too old, and says of when they are', async () => {
    using world = makeWorld('a folder');
    const name = await world.add(30 * 24 * hourMs);
    await world.rehearsed(name, 9 * 24 * hourMs);
    const { stderr } = await world.check();
    const times = /: The newest backup is of (\S+)\. The last rehearsal, of (\S+), was at (\S+)\.\n$/.exec(
      stderr,
    );
    const [, madeAt = '', rehearsedName, rehearsedAt = ''] = times ?? [];
    expect(rehearsedName).toBe(name);
    const daysSince = (time: string) => Math.floor((Date.now() - Date.parse(time)) / (24 * hourMs));
    expect([madeAt, rehearsedAt].map(daysSince)).toEqual([30, 9]);
    expect(await world.check('--max-age', '31d', '--max-rehearsal-age', '10d')).toMatchObject({ status: 0 });
    expect(await world.check('--max-age', '31d')).toMatchObject({ status: 1 });
    expect(world.written().newest).toBeGreaterThan(0);
  });

  it('fails when the last rehearsal failed, until another is sound', async () => {
    using world = makeWorld('a folder');
    const [bad, good] = [await world.add(1000), await world.add(0)];
    await world.rehearsed(good, 3 * hourMs);
    await world.rehearsed(bad, 2 * hourMs, 'It is damaged.');
    expect(await world.check()).toMatchObject({
      status: 1,
      stderr: `petstore: ${world.name}: The rehearsal of ${bad} failed: It is damaged.\n`,
    });
    expect(world.written().rehearsed).toBe(0);
    await world.rehearsed(good, hourMs);
    expect(await world.check()).toMatchObject({ status: 0 });
    expect(world.written().rehearsed).toBeGreaterThan(0);
  });

  it('ignores a backup and a rehearsal from the future, and warns about the backup', async () => {
    using world = makeWorld('a folder');
    const past = await world.add(3 * hourMs);
    await world.rehearsed(past, -30 * 24 * hourMs);
    const ahead = await world.add(-30 * 24 * hourMs);
    await world.rehearsed(ahead, 0);
    const { status, stderr } = await world.check();
    expect(status).toBe(1);
    const [first, second] = stderr.split('\n');
    expect(first).toBe(
      `petstore: ${ahead} in ${world.name} is dated in the future and ignored. Was the clock wrong?`,
    );
    expect(second).toMatch(/: The newest backup is of \S+Z\. No backup was rehearsed\.$/);
    expect(world.written().newest).toBeLessThan(Date.now() / 1000);
    expect(world.written().rehearsed).toBe(0);
  });

  it.each(['a folder', 'a bucket'] as const)(
    'resets the times it wrote when %s cannot be read',
    async (kind) => {
      using world = makeWorld(kind);
      await world.rehearsed(await world.add(0), 0);
      expect(await world.check()).toMatchObject({ status: 0 });
      if (kind === 'a folder') rmSync(world.name, { recursive: true });
      const env = { ...s3.env, S3_ENDPOINT: 'http://127.0.0.1:1' };
      const args = ['backups', 'check', world.name, '--textfile', world.textfile];
      expect(await runCli(args, { env })).toMatchObject({
        status: 1,
        stderr: expect.stringMatching(/^petstore: (?:There is no folder|s3:.* cannot be used)/),
      });
      expect(world.written()).toEqual({ newest: 0, rehearsed: 0 });
    },
  );

  it('says when the file cannot be written', async () => {
    using world = makeWorld('a folder');
    const args = ['backups', 'check', world.name, '--textfile', join(world.name, 'none/petstore.prom')];
    expect(await runCli(args)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('petstore.prom cannot be written: no such file or directory.'),
    });
  });
});
