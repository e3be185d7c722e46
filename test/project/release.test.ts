import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../../package.json';
import { host } from '../../scripts/release/platforms.ts';
import { followInClone, followWithRelease, ownWords } from '../support/process/follow-operations.ts';
import { makeOperatedMachine } from '../support/process/operated-machine.ts';
import { cloneReleaseCopy, makeReleaseCopy, type ReleaseCopy } from '../support/process/release-copy.ts';
import { makeFolder, startService } from '../support/process/process.ts';
import { openS3Server } from '../support/s3-server.ts';

/** The host's executable alone: those of other platforms need their Bun from npm. A Mac gets none. */
const hostName = host?.name ?? '';
const describeHere = describe.skipIf(host === undefined);
const executable = `petstore-${version}-${hostName}`;
const deploy = `petstore-deploy-${version}.tar.gz`;
const packages = ['server', 'client', 'testkit'].map((name) => `petstore-${name}-${version}.tgz`);

let copy: ReleaseCopy;
let released: string;

beforeAll(async () => {
  if (host === undefined) return;
  copy = await makeReleaseCopy();
  released = join(copy.path, 'dist/release');
  // As in a checkout whose tests have run.
  await Bun.write(join(copy.path, 'test/tools/node_modules/some/package.json'), '{}');
  const made = await copy.release('--only', hostName);
  expect(made).toMatchObject({ status: 0, stderr: '' });
});

afterAll(() => copy?.[Symbol.dispose]());

describeHere('npm run release', () => {
  it('makes packages, an executable, deploy/, a bill of materials, notes and their checksums', async () => {
    const expected = [...packages, executable, deploy, `petstore-${version}.cdx.json`];
    expect(readdirSync(released).toSorted()).toEqual(
      [...expected, 'RELEASE_NOTES.md', 'SHA256SUMS'].toSorted(),
    );
    const summed = [];
    for (const line of (await Bun.file(join(released, 'SHA256SUMS')).text()).trim().split('\n')) {
      const [sum = '', name = ''] = line.split('  ');
      const hash = new Bun.CryptoHasher('sha256').update(await Bun.file(join(released, name)).bytes());
      expect(hash.digest('hex')).toBe(sum);
      summed.push(name);
    }
    expect(summed.toSorted()).toEqual([...expected, 'RELEASE_NOTES.md'].toSorted());
  });

  it('makes an executable that serves from an empty folder', async () => {
    await using service = await startService({ wrap: () => [join(released, executable), 'serve'] });
    expect((await service.call('/readyz')).status).toBe(200);
  });
});

describeHere('docs/operations.md', () => {
  it('works from its first command to its last with the files of a release', async () => {
    using folder = makeFolder();
    cpSync(released, folder.path, { recursive: true });
    await using bucket = await openS3Server();
    await using machine = makeOperatedMachine(folder.path, {
      ...ownWords,
      'https://s3.example': bucket.env['S3_ENDPOINT'] ?? '',
      'S3_ACCESS_KEY_ID=petstore-backups': `S3_ACCESS_KEY_ID=${bucket.env['S3_ACCESS_KEY_ID']}`,
      'S3_SECRET_ACCESS_KEY=secret': `S3_SECRET_ACCESS_KEY=${bucket.env['S3_SECRET_ACCESS_KEY']}`,
      's3://shop-backups/': 's3://shop/',
    });
    await followWithRelease(machine);
  });

  it('works from a clone to the first pet', async () => {
    using clone = await cloneReleaseCopy(copy);
    await using machine = makeOperatedMachine(clone.path, ownWords);
    await followInClone(machine);
  });
});
