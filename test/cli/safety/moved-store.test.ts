import { Database } from 'bun:sqlite';
import { describe, expect, it } from 'bun:test';
import { linkSync, renameSync, rmSync } from 'node:fs';
import { copySqlite } from '../../../src/stores/sqlite/maintenance/backup.ts';
import { fillFile } from '../../support/fill-file.ts';
import { noReport } from '../../../src/system/progress.ts';
import { addPets, idsOf, outcomeOf, post, rex } from '../../support/http/calls.ts';
import { startService, type Service } from '../../support/process/process.ts';
import { useStoreFolder } from '../../support/process/store-folder.ts';

const at = useStoreFolder();
const { inFolder, run } = at;

const create = ({ call }: Service) => outcomeOf(call('/v1/pets', post(rex)));

function petCount(path: string): number {
  using store = new Database(path, { readwrite: true, create: false });
  return (store.query('SELECT count(*) AS count FROM pets').get() as { count: number }).count;
}

/** The service notices; from then on it refuses every call. */
async function expectNoticed(service: Service): Promise<void> {
  await service.untilLogged(/"level":"error".*The store was moved, replaced or removed/);
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

describe.each(ways)('a running service whose store is $way', ({ takeAway, putBack }) => {
  it('refuses every call from the first, until it is started again', async () => {
    await using service = await startService({ databaseUrl: at.store });
    await addPets(service.call, 3);
    await copySqlite(at.store, inFolder('backup.db'), noReport);
    takeAway();
    // At once, without waiting until anything is noticed.
    for (let count = 0; count < 5; count++) expect(await create(service)).toBe('503 unavailable');
    await expectNoticed(service);
    putBack();
    expect(await create(service)).toBe('503 unavailable');
    expect(await service.stop()).toBe(0);
    await using again = await startService({ databaseUrl: at.store });
    expect(await create(again)).toBe('201');
    // The outcome of the first one that was refused is unknown.
    expect([4, 5]).toContain(petCount(at.store));
  });
});

describe('a key that is revoked while a service lacks its shared memory', () => {
  it('stays revoked when the service creates, stops and starts again', async () => {
    await using service = await startService({ databaseUrl: at.store });
    const created = await run('keys', 'create', '--name', 'till', '--json');
    const { id, key } = JSON.parse(created.stdout) as { id: string; key: string };
    await addPets(service.call, 3);
    rmSync(inFolder('petstore.db-shm'));
    await expectNoticed(service);
    expect(await run('keys', 'revoke', id)).toMatchObject({ status: 0 });
    expect(await create(service)).toBe('503 unavailable');
    expect(await service.stop()).toBe(0);
    await using again = await startService({ databaseUrl: at.store });
    expect(await outcomeOf(again.callWith(key, '/v1/pets'))).toBe('401 invalid_api_key');
    expect(idsOf(await (await again.call('/v1/pets')).text())).toEqual(['1', '2', '3']);
  });
});

describe('the log of a service whose store was replaced', () => {
  it('says how to use the new file and keep the old one whole', async () => {
    await using service = await startService({ databaseUrl: at.store });
    await fillFile(inFolder('other.db'), 30);
    await addPets(service.call, 3);
    linkSync(inFolder('petstore.db'), inFolder('old.db'));
    renameSync(inFolder('other.db'), inFolder('petstore.db'));
    expect(await create(service)).toBe('503 unavailable');
    const [, log = '', memory = ''] = await service.untilLogged(/first move (\S+) and (\S+) away/);
    await service.stop();
    renameSync(log, inFolder('old.db-wal'));
    renameSync(memory, inFolder('old.db-shm'));
    expect(petCount(at.store)).toBe(30);
    // The outcome of the create that was refused is unknown.
    expect([3, 4]).toContain(petCount(inFolder('old.db')));
  });
});
