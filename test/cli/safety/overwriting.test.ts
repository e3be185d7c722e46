import { describe, expect, it } from 'bun:test';
import { linkSync, rmSync, symlinkSync } from 'node:fs';
import { copySqlite } from '../../../src/stores/sqlite/maintenance/backup.ts';
import { fillFile } from '../../support/fill-file.ts';
import { noReport } from '../../../src/system/progress.ts';
import { readPets } from '../../support/journal.ts';
import { runCli } from '../../support/process/process.ts';
import { useStoreFolder } from '../../support/process/store-folder.ts';
import { copyByHand, damageFile, makeCrashedStore } from '../../support/crashed-store.ts';

const at = useStoreFolder();
const { inFolder, run, expectRefused } = at;

describe('petstore restore over a crashed store', () => {
  it('leaves the pets alone when it refuses or fails, and keeps what it replaces', async () => {
    await fillFile(at.store, 2);
    await copySqlite(at.store, inFolder('good.db'), noReport);
    copyByHand(inFolder('good.db'), inFolder('bad.db'));
    damageFile(inFolder('bad.db'));
    rmSync(at.store);
    await makeCrashedStore(at.store);
    symlinkSync(at.store, inFolder('link.db'));
    await expectRefused('There is no backup', 'restore', 'none.db', '--force');
    await expectRefused('is the store itself', 'restore', at.store, '--force');
    await expectRefused('is the store itself', 'restore', 'link.db', '--force');
    linkSync(at.store, inFolder('hard-link.db'));
    await expectRefused('is the store itself', 'restore', 'hard-link.db', '--force');
    rmSync(inFolder('hard-link.db'));
    await expectRefused('add --force', 'restore', 'good.db');
    await expectRefused('is damaged', 'restore', 'bad.db', '--force');
    const { status, stdout } = await run('restore', 'good.db', '--force');
    expect(status).toBe(0);
    const [, kept = ''] = /kept as (\S+)\. /.exec(stdout) ?? [];
    expect([readPets(kept).length, readPets(at.store).length]).toEqual([5, 2]);
  });
});

describe('restores of one store at the same time', () => {
  it('leave the whole content of one of them', async () => {
    for (const count of [100, 2000]) {
      await fillFile(inFolder(`${count}.db`), count);
      await copySqlite(inFolder(`${count}.db`), inFolder(`b${count}.db`), noReport);
    }
    await fillFile(at.store, 1);
    const results = await Promise.all(
      [100, 2000, 100].map((count) => run('restore', inFolder(`b${count}.db`), '--force')),
    );
    expect(results.some(({ status }) => status === 0)).toBe(true);
    for (const { status, stderr } of results)
      if (status !== 0) expect(stderr).toMatch(/is in use|was replaced/);
    expect([100, 2000]).toContain(readPets(at.store).length);
  });
});

describe('a file of the store', () => {
  it('is refused as a backup and as the target of its own copy', async () => {
    await makeCrashedStore(at.store);
    symlinkSync('petstore.db', inFolder('link.db'));
    await expectRefused('exists and is not overwritten', 'backup', './petstore.db-shm');
    const before = readPets(at.store);
    for (const to of [inFolder('link.db'), `sqlite:${at.store}`]) {
      expect(await runCli(['copy', '--from', at.store, '--to', to])).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('already holds pets'),
      });
    }
    expect(readPets(at.store)).toEqual(before);
  });
});
