import { beforeEach, describe, expect, it } from 'bun:test';
import { lstatSync, mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { restoreBackup } from '../../../src/stores/backups/backups.ts';
import { openPlace } from '../../../src/stores/backups/places.ts';
import { untilNoticed } from '../../../src/stores/sqlite/freshness.ts';
import { copySqlite } from '../../../src/stores/sqlite/maintenance/backup.ts';
import { noReport } from '../../../src/system/progress.ts';
import { fillFile } from '../../support/fill-file.ts';
import { addPet, idsOf, outcomeOf } from '../../support/http/calls.ts';
import { readPets } from '../../support/journal.ts';
import { runCli, startService } from '../../support/process/process.ts';
import { refusalOf } from '../../support/process/refusal.ts';
import { useStoreFolder } from '../../support/process/store-folder.ts';

const { inFolder } = useStoreFolder();
/** Where the store really is. */
let real: string;
/** What the operator calls it. */
let link: string;

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
    await fillFile(real, 3);
    const name = `${inFolder('away')}/../real.db`;
    expect(await copySqlite(name, inFolder('backup.db'), noReport)).toMatchObject({ petCount: 3 });
  });
});

describe('a first start through a link', () => {
  it('makes the store where the link leads', async () => {
    symlinkSync('disk/real.db', link);
    await fillFile(link, 2);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readPets(real)).toHaveLength(2);
  });
});

describe('a loop of links', () => {
  it.each([
    ...['check --port 0', 'keys list', 'backup new.db', 'restore sound.db'].map(
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
    const isPath = /^(?:loop|sound|new)/;
    const args = command.split(' ').map((word) => (isPath.test(word) ? inFolder(word) : word));
    expect((await refusalOf(...args)).stderr).toMatch(/^petstore: .*too many symbolic links.*\n$/);
    for (const name of ['loop', 'other']) expect(lstatSync(inFolder(name)).isSymbolicLink()).toBe(true);
  });
});

describe('petstore restore through a link', () => {
  it('restores the store that the link leads to', async () => {
    await fillFile(real, 3);
    symlinkSync(real, link);
    await copySqlite(link, inFolder('backup.db'), noReport);
    await fillFile(link, 2);
    const place = openPlace(dirname(link), {});
    await restoreBackup({ place, name: 'backup.db', store: link, isForced: true, report: noReport });
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    for (const name of [link, real]) expect(readPets(name)).toHaveLength(3);
  });
});
