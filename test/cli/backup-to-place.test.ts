import { afterAll, describe, expect, it } from 'bun:test';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fillFile } from '../support/fill-file.ts';
import { makeOld, makeWorld } from '../support/process/backup-world.ts';
import { limitedTo, runCli } from '../support/process/process.ts';
import { refusalOf } from '../support/process/refusal.ts';
import { openS3Server } from '../support/s3-server.ts';

const s3 = await openS3Server();
afterAll(() => s3[Symbol.asyncDispose]());

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

  it('removes partial files that were abandoned a day ago', async () => {
    using world = await makeWorld('a folder', s3);
    const [partial, young] = ['1', '2'].map((id) => `petstore-backup.${id}.partial`);
    const beside = ['', '-journal', '-wal', '-shm'].map((suffix) => `${partial}${suffix}`);
    for (const file of [...beside, young!, 'notes.txt']) writeFileSync(join(world.place, file), 'x');
    for (const file of beside) makeOld(join(world.place, file));
    const { stdout } = await world.run('backup', world.place);
    const [made = ''] = /petstore-\d+T\S+Z-\w+\.db/.exec(stdout) ?? [];
    expect(await world.files()).toEqual(['notes.txt', made, young!]);
    expect(statSync(join(world.place, made)).mode & 0o777).toBe(0o600);
  });

  it('removes the copy that a killed upload left beside the store', async () => {
    using world = await makeWorld('a bucket', s3);
    const others = `${world.folder.database}.bbbbbbbbbbbb.partial`;
    const abandoned = ['', '-journal'].map(
      (suffix) => `${world.folder.database}.aaaaaaaaaaaa.partial${suffix}`,
    );
    for (const file of [...abandoned, others]) writeFileSync(file, 'x');
    for (const file of abandoned) makeOld(file);
    expect(await world.run('backup', world.place)).toMatchObject({ status: 0 });
    const found = readdirSync(world.folder.path).filter((file) => file.includes('.partial'));
    expect(found).toEqual([basename(others)]);
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
