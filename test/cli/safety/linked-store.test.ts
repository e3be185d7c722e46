import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { lstatSync, mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { untilNoticed } from '../../../src/stores/sqlite/freshness.ts';
import { fillFile } from '../../support/fill-file.ts';
import { addPet, addPets, idsOf, outcomeOf } from '../../support/http/calls.ts';
import { makeFolder, runCli, startService } from '../../support/process/process.ts';
import { useStoreFolder } from '../../support/process/store-folder.ts';
import { copyByHand, makeCrashedStore } from '../../support/crashed-store.ts';

const { inFolder } = useStoreFolder();
/** Where the store really is. */
let real: string;
/** What the operator calls it. */
let link: string;

const crashed = makeFolder();
beforeAll(() => makeCrashedStore(crashed.database, 3));
afterAll(() => crashed[Symbol.dispose]());

beforeEach(() => {
  mkdirSync(inFolder('disk'));
  real = inFolder('disk/real.db');
  link = inFolder('petstore.db');
});

async function createKey(): Promise<{ id: string; key: string }> {
  const { stdout } = await runCli(['keys', 'create', '--name', 'till', '--json', '--database-url', link]);
  return JSON.parse(stdout) as { id: string; key: string };
}

describe('a service on a store behind a link', () => {
  it('lists what it acknowledged and refuses revoked keys, whatever leads to it', async () => {
    await createKey();
    renameSync(link, inFolder('disk/petstore.db'));
    symlinkSync('disk', inFolder('current'));
    symlinkSync(inFolder('disk/petstore.db'), inFolder('second'));
    symlinkSync('second', link);
    const { id, key } = await createKey();
    await using service = await startService({ databaseUrl: link });
    await using other = await startService({ databaseUrl: inFolder('current/petstore.db') });
    for (let round = 0; round < 5; round++) {
      const added = await addPet(service.call);
      await untilNoticed();
      for (const { call } of [service, other]) {
        expect(idsOf(await (await call('/v1/pets?limit=100')).text())).toContain(added);
      }
    }
    expect(await outcomeOf(service.callWith(key, '/v1/pets'))).toBe('200');
    await runCli(['keys', 'revoke', id, '--database-url', link]);
    for (const { callWith } of [service, other]) {
      expect(await outcomeOf(callWith(key, '/v1/pets'))).toBe('401 invalid_api_key');
    }
  });
});

describe('a name with .. behind a link', () => {
  it('is resolved as the system resolves it', async () => {
    mkdirSync(inFolder('disk/deep'));
    symlinkSync('disk/deep', inFolder('away'));
    copyByHand(crashed.database, real);
    const name = `${inFolder('away')}/../real.db`;
    expect(await runCli(['backup', inFolder('backup.db'), '--database-url', name])).toMatchObject({
      stdout: expect.stringContaining('Backed up 3') as string,
    });
  });
});

describe('a first start through a link', () => {
  it('makes the store where the link leads', async () => {
    symlinkSync('disk/real.db', link);
    await using service = await startService({ databaseUrl: link });
    await addPets(service.call, 2);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    using database = new Database(real, { readonly: true });
    expect(database.query('SELECT count(*) AS count FROM pets').get()).toEqual({ count: 2 });
  });
});

describe('a loop of links', () => {
  it.each([
    ...['serve', 'check', 'keys list', 'backup new.db', 'restore sound.db'].map(
      (each) => `${each} --database-url loop`,
    ),
    ...['copy --from loop --to new.db', 'copy --from sound.db --to loop'],
    ...['restore loop --latest', 'backup loop/new.db', 'backup loop/'].map(
      (each) => `${each} --database-url sound.db`,
    ),
    'backups list loop',
  ])('is refused in a sentence: petstore %s', async (command) => {
    await fillFile(inFolder('sound.db'), 3);
    symlinkSync('loop', inFolder('other'));
    symlinkSync('other', inFolder('loop'));
    const env = { PORT: '0', API_KEYS: 'a-key-of-some-length' };
    const { status, stdout, stderr } = await runCli(command.split(' '), { cwd: dirname(link), env });
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^petstore: .*too many symbolic links.*\n$/)]);
    expect(stdout).not.toContain('  at ');
    for (const name of ['loop', 'other']) expect(lstatSync(inFolder(name)).isSymbolicLink()).toBe(true);
  });
});

describe('petstore restore through a link', () => {
  it('restores the store that the link leads to', async () => {
    copyByHand(crashed.database, real);
    symlinkSync(real, link);
    const backup = inFolder('backup.db');
    expect(await runCli(['backup', backup, '--database-url', link])).toMatchObject({ status: 0 });
    {
      await using service = await startService({ databaseUrl: link });
      await addPets(service.call, 2);
      expect(await service.stop()).toBe(0);
    }
    const restored = await runCli(['restore', backup, '--force', '--database-url', link]);
    expect(restored).toMatchObject({ status: 0, stdout: expect.stringContaining('Restored 3 pets') });
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    for (const name of [link, real]) {
      using database = new Database(name, { readwrite: true, create: false });
      expect(database.query('SELECT count(*) AS count FROM pets').get()).toEqual({ count: 3 });
    }
  });
});
