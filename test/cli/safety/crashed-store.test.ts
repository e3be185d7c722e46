import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { fillFile } from '../../support/fill-file.ts';
import { addPets, idsOf } from '../../support/http/calls.ts';
import { makeFolder, runCli, startService } from '../../support/process/process.ts';
import { useStoreFolder } from '../../support/process/store-folder.ts';
import { copyByHand, damageFile, damageLog, makeCrashedStore } from '../../support/crashed-store.ts';

const at = useStoreFolder();
const { run, expectRefused } = at;

const crashed = makeFolder();
beforeAll(() => makeCrashedStore(crashed.database));
afterAll(() => crashed[Symbol.dispose]());

const sideFiles: [string, () => void][] = [
  ['with its log and shared memory', () => {}],
  ['without its shared memory', () => rmSync(`${at.store}-shm`)],
];

/** Each of these refuses a store before it writes to it. */
async function expectRefusedByAll(message: string | RegExp): Promise<void> {
  for (const command of ['serve', 'keys create --name till', 'check']) {
    await expectRefused(message, ...command.split(' '));
  }
}

describe('a crashed store', () => {
  beforeEach(() => copyByHand(crashed.database, at.store));

  it.each(sideFiles)('%s is read completely by petstore check and backup', async (_title, prepare) => {
    prepare();
    const { status, stdout } = await run('check');
    expect([status, stdout]).toEqual([0, expect.stringContaining('is sound and holds 5')]);
    expect(await run('backup', 'out.db')).toMatchObject({ stdout: expect.stringContaining('Backed up 5') });
  });

  it('is refused if its file is damaged', async () => {
    // First into the file, then more into the log: damage in the file that the log does not cover.
    await fillFile(at.store, 1000);
    damageFile(at.store);
    crash("database.run('CREATE TABLE more (id INTEGER)');");
    rmSync(`${at.store}-shm`);
    await expectRefusedByAll('is damaged');
  });

  it.each(sideFiles)(
    '%s loses what follows the first damaged frame of its log, and nothing before it',
    async (_title, prepare) => {
      prepare();
      damageLog(at.store, 3);
      await using service = await startService({ databaseUrl: at.store });
      const left = idsOf(await (await service.call('/v1/pets')).text());
      expect(left.length).toBeWithin(1, 5);
      expect(left).toEqual(['1', '2', '3', '4'].slice(0, left.length));
    },
  );
});

describe('a file above 16 MiB whose end is missing', () => {
  it.each([
    ['by half a page', 2048],
    ['by many pages', 40_960],
  ])('%s is refused, unless a log beside it may hold the end', async (_title, bytes) => {
    await fillFile(at.store, 60_000);
    const { size } = statSync(at.store);
    expect(size).toBeGreaterThan(16 * 1024 * 1024);
    truncateSync(at.store, size - bytes);
    await expectRefusedByAll('is damaged');
  });

  it('is served if a log beside it holds that end, as after a checkpoint that was cut off', async () => {
    await fillFile(at.store, 60_000);
    // Of all pages: the log has every one of them.
    crash("database.run('PRAGMA wal_autocheckpoint = 0'); database.run('VACUUM');");
    expect(statSync(`${at.store}-wal`).size).toBeGreaterThan(16 * 1024 * 1024);
    truncateSync(at.store, statSync(at.store).size - 2048);
    await using service = await startService({ databaseUrl: at.store });
    expect((await service.call('/v1/pets/60000')).status).toBe(200);
  });
});

describe('a log whose file was removed', () => {
  it('is refused with advice, and no empty file is left beside it', async () => {
    const other = at.inFolder('other.db');
    for (const copy of [at.store, other]) copyByHand(crashed.database, copy);
    await runCli(['backup', at.inFolder('b.db'), '--database-url', other]);
    rmSync(at.store);
    const log = readFileSync(`${at.store}-wal`);
    // A restore that moved the log away and was then killed would leave an empty store.
    for (const command of ['serve', 'keys create --name till', 'restore b.db', 'check'])
      await expectRefused(/is gone, but its log holds commits[^]*move \S+-wal\s+away/, ...command.split(' '));
    expect(existsSync(at.store)).toBe(false);
    expect(readFileSync(`${at.store}-wal`).equals(log)).toBe(true);
  });
});

describe('a store whose log is only a header, as a kill can leave it', () => {
  it('is read and served', async () => {
    await fillFile(at.store, 3);
    await run('keys', 'list');
    const header = readFileSync(`${crashed.database}-wal`).subarray(0, 32);
    expect(statSync(`${at.store}-wal`).size).toBe(0);
    writeFileSync(`${at.store}-wal`, header);
    expect(await run('check')).toMatchObject({ stdout: expect.stringContaining('is sound and holds 3') });
    await using service = await startService({ databaseUrl: at.store });
    expect(await addPets(service.call, 2)).toEqual(['4', '5']);
    expect(idsOf(await (await service.call('/v1/pets')).text())).toEqual(['1', '2', '3', '4', '5']);
  });
});

/** Writes into the log alone, as a process that is killed leaves it. */
function crash(work: string): void {
  const program = `
    const { Database } = require('bun:sqlite');
    const database = new Database(process.argv[1]);
    ${work}
    process.kill(process.pid, 'SIGKILL');`;
  Bun.spawnSync([process.execPath, '-e', program, at.store]);
}
