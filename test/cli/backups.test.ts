import { Database } from 'bun:sqlite';
import { afterAll, describe, expect, it } from 'bun:test';
import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addBackup } from '../../src/stores/backups/add-backup.ts';
import {
  findBackup,
  listBackups,
  manifestOf,
  nameBackup,
  openPlace,
  writeManifest,
} from '../../src/stores/backups/catalog.ts';
import { makeSampleStore } from '../../src/stores/sqlite/maintenance/sample-store.ts';
import { noReport } from '../../src/system/progress.ts';
import { makeWorld, type World } from '../support/process/backup-world.ts';
import { runCli } from '../support/process/process.ts';
import { openS3Server } from '../support/s3-server.ts';

const s3 = await openS3Server();
afterAll(() => s3[Symbol.asyncDispose]());

const name = /petstore-\d{8}T\d{6}Z-[0-9a-f]{6}\.db/;

describe.each(['a folder', 'a bucket'] as const)('backups in %s', (kind) => {
  it('are named by time, listed, restored and rehearsed', async () => {
    using world = await makeWorld(kind, s3);
    const made = await world.run('backup', world.place);
    expect(made).toMatchObject({ status: 0, stderr: '' });
    expect(made.stdout).toMatch(
      new RegExp(`^Backed up 300 pets of .* to .*/${name.source}, and read it back\\.\n$`),
    );
    const [file = ''] = name.exec(made.stdout) ?? [];
    expect(await world.files()).toEqual([file, file.replace('.db', '.json')]);
    expect(readdirSync(world.folder.path).filter((each) => each.includes('uploading'))).toEqual([]);

    const listed = await world.run('backups', 'list', world.place, '--json');
    expect(JSON.parse(listed.stdout)).toMatchObject([
      { name: file, petCount: 300, orderCount: 0, keyCount: 1 },
    ]);
    expect((await world.run('backups', 'list', world.place)).stdout).toContain(file);

    const rehearsed = await world.run('backups', 'rehearse', world.place, '--latest');
    expect(rehearsed.stdout).toMatch(/^Restored 300 pets and 1 key from .* in [\d.]+ s\. All are sound\.\n$/);
    expect(readdirSync(join(world.folder.path, 'scratch'))).toEqual([]);
    expect(await world.files()).toEqual([file, manifestOf(file)]);
    const again = await world.run('backups', 'list', world.place, '--json');
    expect(JSON.parse(again.stdout)).toMatchObject([
      { name: file, rehearsal: { at: expect.any(String), isSound: true, restoreMs: expect.any(Number) } },
    ]);
    expect((await world.run('backups', 'list', world.place)).stdout).toMatch(/\d{4}-[^ ]+ [\d:]{8}\n$/);

    const restored = join(world.folder.path, 'new/petstore.db');
    const at = { env: { ...s3.env, DATABASE_URL: restored } };
    expect(await runCli(['restore', `${world.place}/${file}`], at)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('Restored 300 pets'),
    });
    expect(await runCli(['restore', world.place, '--latest', '--force'], at)).toMatchObject({ status: 0 });
    expect(readdirSync(join(world.folder.path, 'new')).filter((each) => each.includes('partial'))).toEqual(
      [],
    );
    const absent = await runCli(['restore', `${world.place}/petstore-none.db`, '--force'], at);
    expect(absent).toMatchObject({ status: 1, stderr: expect.stringContaining('There is no backup at') });
  });

  it('are thinned out by --keep, after the new one is whole', async () => {
    using world = await makeWorld(kind, s3);
    const place = openPlace(world.place, s3.env);
    const backUpAndThin = async () =>
      JSON.parse((await world.run('backup', `${world.place}/`, '--json', '--keep', '1y')).stdout);
    const rehearsed = async (each: string) =>
      writeManifest(place, {
        ...(await findBackup(place, each))!,
        rehearsal: { at: new Date(), isSound: true },
      });
    const one = await backUp(world);
    await rehearsed(one);
    // The one that was rehearsed last stays.
    const { name: two } = await backUpAndThin();
    const whole = (each: string): string[] => [each, manifestOf(each)];
    expect(await world.files()).toEqual([...whole(one), ...whole(two)].sort());
    await rehearsed(two);
    const { name: three, removed } = await backUpAndThin();
    expect(removed).toEqual([one]);
    expect(await world.files()).toEqual([...whole(two), ...whole(three)].sort());
  });

  it('are not listed when the file or the manifest is missing or not whole', async () => {
    using world = await makeWorld(kind, s3);
    const names: string[] = [];
    for (let count = 0; count < 3; count++) names.push(await backUp(world));
    await world.remove(names[0]!);
    await world.remove(names[1]!.replace('.db', '.json'));
    await world.cut(names[2]!);
    expect(await world.run('backups', 'list', world.place)).toMatchObject({
      status: 0,
      stdout: 'There are no backups.\n',
    });
    expect(await world.run('backups', 'rehearse', world.place)).toMatchObject({ status: 1 });
  });
});

describe('a backup that was made under a clock 30 days ahead', () => {
  it('is never the newest for restore and rehearse, even if it is the only one, and displaces no other', async () => {
    using world = await makeWorld('a folder', s3);
    const ahead = await makeFuture(world);
    const at = { env: { DATABASE_URL: join(world.folder.path, 'new.db') } };
    expect(await runCli(['restore', world.place, '--latest'], at)).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/is dated in the future[^]*\npetstore: There is no backup at/),
    });
    expect(existsSync(join(world.folder.path, 'new.db'))).toBe(false);

    makeSampleStore(world.folder.database, { seed: 1, count: 700 });
    const present = await backUp(world);
    const warning = `petstore: ${ahead} in ${world.place} is dated in the future and ignored. Was the clock wrong?\n`;

    const restored = await runCli(['restore', world.place, '--latest'], at);
    expect(restored).toMatchObject({ status: 0, stderr: warning });
    expect(restored.stdout).toMatch(
      new RegExp(`^The backup is ${present}: 1,000 pets, made at \\S+Z\\.\nRestored 1,000 pets`),
    );
    const rehearsed = await world.run('backups', 'rehearse', world.place, '--latest');
    expect(rehearsed).toMatchObject({ status: 0, stderr: warning });
    expect(rehearsed.stdout).toContain(present);

    const { removed } = JSON.parse((await world.run('backup', world.place, '--json', '--keep', '1y')).stdout);
    expect(removed).not.toContain(ahead);
    expect(await world.files()).toContain(ahead);
    // It can be restored by name.
    const named = ['restore', join(world.place, ahead), '--force'];
    expect(await runCli(named, at)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('Restored 300 pets'),
    });
  });
});

/** Adds a backup, and returns its name. */
async function backUp(world: World): Promise<string> {
  const place = openPlace(world.place, s3.env);
  const store = world.folder.database;
  return (await addBackup({ place, store, keep: undefined, report: noReport })).backup.name;
}

/** Backs up, and dates the backup as a machine with such a clock would have. */
async function makeFuture(world: World): Promise<string> {
  const made = await backUp(world);
  const manifest = JSON.parse(await Bun.file(join(world.place, manifestOf(made))).text());
  const createdAt = new Date(Date.parse(manifest.createdAt) + 30 * 86_400_000);
  const ahead = nameBackup(createdAt);
  renameSync(join(world.place, made), join(world.place, ahead));
  rmSync(join(world.place, manifestOf(made)));
  await writeManifest(openPlace(world.place, {}), { ...manifest, name: ahead, createdAt });
  return ahead;
}

describe('a backup that rots in its place', () => {
  it('is found by a rehearsal, which says so and records it', async () => {
    using world = await makeWorld('a folder', s3);
    const file = await backUp(world);
    const path = join(world.place, file);
    const content = Buffer.from(await Bun.file(path).arrayBuffer());
    content[content.length - 3]! ^= 1;
    writeFileSync(path, content);
    expect(await world.run('backups', 'rehearse', world.place)).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^petstore: The backup petstore-.* is damaged\. Use another one: .*\n$/),
    });
    expect(await listBackups(openPlace(world.place, {}))).toMatchObject([
      { name: file, rehearsal: { isSound: false, problem: expect.stringContaining('is damaged') } },
    ]);
    expect((await world.run('backups', 'list', world.place)).stdout).toEndWith(', failed\n');
    const restored = { env: { DATABASE_URL: join(world.folder.path, 'new.db') } };
    expect(await runCli(['restore', world.place, '--latest'], restored)).toMatchObject({ status: 1 });
    expect(existsSync(join(world.folder.path, 'new.db'))).toBe(false);
  });
});

describe('a backup whose keys were changed in its place', () => {
  it('is not restored, neither from the file nor from the folder', async () => {
    using world = await makeWorld('a folder', s3);
    await world.run('keys', 'revoke', '1');
    const path = join(world.place, await backUp(world));
    // No checksum of a row covers it, and the file stays sound.
    using database = new Database(path, { readwrite: true });
    database.run('UPDATE api_keys SET revoked_at = NULL');
    database.close();
    const restored = { env: { DATABASE_URL: join(world.folder.path, 'new.db') } };
    for (const source of [[path], [world.place, '--latest']]) {
      expect(await runCli(['restore', ...source], restored)).toMatchObject({
        status: 1,
        stderr: expect.stringMatching(/^petstore: The backup petstore-.* is damaged\. Use another one: .*\n/),
      });
      expect(existsSync(join(world.folder.path, 'new.db'))).toBe(false);
    }
  });
});
