import { afterAll, describe, expect, it } from 'bun:test';
import {
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import {
  addBackup,
  listBackups,
  nameBackup,
  rehearse,
  restoreBackup,
} from '../../src/stores/backups/backups.ts';
import { parseKeep } from '../../src/stores/backups/keep.ts';
import { openPlace } from '../../src/stores/backups/places.ts';
import { noReport } from '../../src/system/progress.ts';
import { failureOf } from '../support/failure.ts';
import { fillFile } from '../support/fill-file.ts';
import { readScrape } from '../support/metrics/scrape.ts';
import { makeWorld, type World } from '../support/process/backup-world.ts';
import { limitedTo, runCli } from '../support/process/process.ts';
import { refusalOf } from '../support/process/refusal.ts';
import { openS3Server } from '../support/s3-server.ts';

const s3 = await openS3Server();
afterAll(() => s3[Symbol.asyncDispose]());

const name = /petstore-\d{8}T\d{6}\.\d{3}Z-[0-9a-f]{16}\.db/;
const kinds = ['a folder', 'a bucket'] as const;
const hourMs = 3_600_000;

describe.each(kinds)('backups in %s', (kind) => {
  it('are named by time and content, listed, restored and rehearsed', async () => {
    using world = await makeWorld(kind, s3);
    const made = await world.run('backup', world.place);
    expect(made).toMatchObject({ status: 0, stderr: '' });
    expect(made.stdout).toMatch(
      new RegExp(`^Backed up 300 pets and 86 orders of .* to .*/${name.source}, and read it back\\.\n$`),
    );
    const [file = ''] = name.exec(made.stdout) ?? [];
    expect(await world.files()).toEqual([file]);
    expect(readdirSync(world.folder.path).filter((each) => each.includes('backup-'))).toEqual([]);

    const listed = (await world.run('backups', 'list', world.place)).stdout;
    expect(listed).toMatch(
      new RegExp(`^NAME .*\n${file}  \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d  [\\d,]+\n$`),
    );

    const rehearsed = await world.run('backups', 'rehearse', world.place, '--latest');
    expect(rehearsed.stdout).toMatch(
      /^Restored 300 pets, 86 orders and 1 key from .* in [\d.]+ s\. All are sound\.\n$/,
    );
    expect(readdirSync(join(world.folder.path, 'scratch'))).toEqual([]);
    expect(await world.files()).toEqual([file]);

    const restored = join(world.folder.path, 'new/petstore.db');
    const at = { env: { ...s3.env, DATABASE_URL: restored } };
    expect(await runCli(['restore', `${world.place}/${file}`], at)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('Restored 300 pets'),
    });
    expect(await runCli(['restore', world.place, '--latest', '--force'], at)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining(`The newest backup is ${file}.\n`),
    });
    const leftovers = readdirSync(join(world.folder.path, 'new')).filter((each) => /partial/.test(each));
    expect(leftovers).toEqual([]);
    const place = openPlace(world.place, s3.env);
    expect(await failureOf(rehearse(place, 'petstore-none.db', noReport))).toMatchObject({
      message: expect.stringContaining('There is no backup petstore-none.db in '),
    });
  });

  it('are thinned out by --keep, once the new one is in its place', async () => {
    using world = await makeWorld(kind, s3);
    const older = await backUp(world);
    const { stdout } = await world.run('backup', `${world.place}/`, '--keep', '1y');
    expect(stdout).toEndWith(`\nRemoved 1 older: ${older}.\n`);
    expect(await world.files()).toEqual([name.exec(stdout)![0]]);
  });

  it('are compared with the hash in their name when they are restored or rehearsed', async () => {
    using world = await makeWorld(kind, s3);
    const file = await backUp(world);
    await world.damage(file);
    const store = join(world.folder.path, 'new.db');
    const place = openPlace(world.place, s3.env);
    for (const use of [
      () => restoreBackup({ place, name: file, store, isForced: false, report: noReport }),
      () => rehearse(place, file, noReport),
    ])
      expect(await failureOf(use())).toMatchObject({
        message: `The backup ${file} is damaged: its content does not match its name. Use another one: petstore backups list`,
      });
    expect(existsSync(store)).toBe(false);
  });
});

describe('petstore backup', () => {
  it('refuses a folder that does not exist, and a bad rule', async () => {
    using world = await makeWorld('a folder', s3);
    const absent = join(world.folder.path, 'unmounted');
    for (const args of [[`${absent}/`], [absent, '--keep', '7d']]) {
      expect(await refusalOf('backup', ...args)).toMatchObject({
        status: 1,
        stderr: expect.stringMatching(/^petstore: There is no folder .*unmounted/),
      });
    }
    expect(existsSync(absent)).toBe(false);
    expect(await refusalOf('backup', world.place, '--keep', '7x')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('petstore: --keep must be a rule such as 24h,7d,4w,12m, not "7x".'),
    });
  });

  it('says which bucket cannot be used, and why', async () => {
    using world = await makeWorld('a bucket', s3);
    expect(await world.run('backup', 's3://absent/x')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^petstore: s3:\/\/absent\/x cannot be used \(NoSuchBucket\)\. .*\n$/),
    });
    expect(await refusalOf('backup', 's3://')).toMatchObject({ status: 2 });
    expect(await refusalOf('backups', 'list', 's3://shop/x')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('Set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY.'),
    });
  });

  it('fails on a full disk, says so and leaves nothing behind', async () => {
    using world = await makeWorld('a folder', s3);
    await fillFile(world.folder.database, 5000);
    const args = ['backup', world.place, '--database-url', world.folder.database];
    const { status, stderr } = await runCli(args, { wrap: limitedTo(500 * 1024) });
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(
        /^petstore: The copy of .* cannot be written: the disk is full or failing\. .*\n$/,
      ),
    });
    expect(await world.files()).toEqual([]);
  });
});

describe('petstore backups check', () => {
  it('fails if the newest one is too old or unknown', async () => {
    using world = await makeWorld('a folder', s3);
    const textfile = join(world.folder.path, 'petstore.prom');
    const check = (...args: string[]) =>
      world.run('backups', 'check', world.place, '--textfile', textfile, ...args);
    expect(await check()).toMatchObject({
      status: 1,
      stderr: `petstore: There are no backups in ${world.place}. Make one: petstore backup\n`,
    });
    expect(timeIn(textfile, 'newest')).toBe(0);

    const createdAt = new Date(Date.now() - 3 * hourMs);
    rename(world, await backUp(world), createdAt);
    expect(await check()).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(
        `The newest backup in ${world.place} was made at ${createdAt.toISOString()}.`,
      ),
    });
    expect(await check('--max-age', '4h')).toMatchObject({ status: 0, stderr: '' });
    expect(timeIn(textfile, 'newest')).toBe(Math.floor(createdAt.getTime() / 1000));
    // node_exporter runs as another user.
    expect(statSync(textfile).mode & 0o777).toBe(0o644);

    const env = { ...s3.env, S3_ENDPOINT: 'http://127.0.0.1:1' };
    expect(await runCli(['backups', 'check', 's3://shop/x', '--textfile', textfile], { env })).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^petstore: s3:.* cannot be used/),
    });
    expect(timeIn(textfile, 'newest')).toBe(0);
  });
});

describe('a rehearsal', () => {
  it('writes its time for node_exporter, and says when it cannot', async () => {
    using world = await makeWorld('a folder', s3);
    const [textfile, missing] = ['petstore.prom', 'none/petstore.prom'].map((file) =>
      join(world.folder.path, file),
    );
    const run = (file: string) => world.run('backups', 'rehearse', world.place, '--textfile', file);
    expect(await run(textfile!)).toMatchObject({ status: 1 });
    expect(timeIn(textfile!, 'rehearsed')).toBe(0);
    await backUp(world);
    const before = Math.floor(Date.now() / 1000);
    expect(await run(textfile!)).toMatchObject({ status: 0 });
    expect(timeIn(textfile!, 'rehearsed')).toBeGreaterThanOrEqual(before);
    expect(await run(missing!)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('petstore.prom cannot be written: no such file or directory.'),
    });
    const link = join(world.folder.path, 'link.prom');
    symlinkSync(textfile!, link);
    expect((await run(link)).stderr).toContain('link.prom cannot be written: it is not a file.');
    expect(readlinkSync(link)).toBe(textfile!);
  });
});

describe('a backup that was made under a clock 30 days ahead', () => {
  it('fails the check of the newest one, and displaces no other', async () => {
    using world = await makeWorld('a folder', s3);
    const backup = await backUp(world);
    rename(world, backup, new Date(Date.now() + 30 * 24 * hourMs));
    const present = await backUp(world);
    expect(await world.run('backups', 'check', world.place)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(
        'If that is in the future, correct the clock, and move this backup away.',
      ),
    });
    await backUp(world, '2m');
    expect(await world.files()).not.toContain(present);
    expect(await world.files()).toHaveLength(2);
  });
});

describe('a bucket that repeats a page of its list', () => {
  it('is an error, not a loop', async () => {
    const page = `<ListBucketResult><Name>shop</Name><IsTruncated>true</IsTruncated><NextContinuationToken>again</NextContinuationToken></ListBucketResult>`;
    using server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () => new Response(page, { headers: { 'content-type': 'application/xml' } }),
    });
    const place = openPlace('s3://shop/x', { ...s3.env, S3_ENDPOINT: server.url.href });
    expect(String(await failureOf(listBackups(place)))).toContain('s3://shop/x repeats a page of its list.');
  });
});

describe('a folder that changes while it is listed', () => {
  it('lists what is still there', async () => {
    // Reading this folder opens a descriptor, lists that one too, and closes it.
    const files = await openPlace('/proc/self/fdinfo', {}).list();
    expect(files.size).toBeGreaterThan(0);
  });
});

/** Adds a backup, and returns its name. */
async function backUp(world: World, rule?: string): Promise<string> {
  const place = openPlace(world.place, s3.env);
  const keep = rule === undefined ? undefined : parseKeep(rule);
  return (await addBackup({ place, store: world.folder.database, keep, report: noReport })).name;
}

/** Gives a backup of a folder another time. */
function rename({ place }: World, backup: string, createdAt: Date): void {
  renameSync(join(place, backup), join(place, nameBackup(createdAt, '0'.repeat(16))));
}

function timeIn(textfile: string, what: 'newest' | 'rehearsed'): number {
  return readScrape(readFileSync(textfile, 'utf8')).value(`petstore_backup_${what}_timestamp_seconds`);
}
