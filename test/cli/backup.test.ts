import { Database } from 'bun:sqlite';
import { describe, expect, it } from 'bun:test';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { storeAt } from '../../src/stores/open.ts';
import { copySqlite } from '../../src/stores/sqlite/maintenance/backup.ts';
import { failureOf } from '../support/failure.ts';
import { fillFile } from '../support/fill-file.ts';
import { silentLog } from '../support/http/service.ts';
import { noReport } from '../../src/system/progress.ts';
import { runCli, startService } from '../support/process/process.ts';
import { readPets, startLoad } from '../support/journal.ts';
import { refusalOf } from '../support/process/refusal.ts';
import { runOnTerminal } from '../support/process/terminal.ts';
import { useStoreFolder } from '../support/process/store-folder.ts';

const at = useStoreFolder();
const { inFolder } = at;

describe('petstore backup', () => {
  it('copies everything that was acknowledged before, while creates go on', async () => {
    await using service = await startService();
    const load = startLoad({ url: () => service.url });
    await load.untilAcknowledged(100);

    const file = join(dirname(service.database), 'backup.db');
    const before = [...load.journal.acknowledged.keys()];
    const { status, stdout } = await runCli(['backup', file, '--database-url', service.database]);
    await load.stop();

    expect(status).toBe(0);
    expect(stdout).toMatch(/^Backed up [\d,]+ pets of .* to .*, and read it back\.\n$/);
    const saved = new Set(readPets(file).map(({ name }) => name));
    expect(before.filter((name) => !saved.has(name))).toEqual([]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(dirname(file)).filter((name) => name.includes('backup'))).toEqual(['backup.db']);
  });

  it('does not overwrite a file, and refuses a store that does not exist', async () => {
    await fillFile(at.store, 3);
    await writeFile(inFolder('backup.db'), 'precious');
    const taken = await refusalOf('backup', inFolder('backup.db'), '--database-url', at.store);
    expect(taken).toEqual({ status: 1, stderr: expect.stringContaining('is not overwritten') });
    expect(await Bun.file(inFolder('backup.db')).text()).toBe('precious');

    const none = await refusalOf('backup', inFolder('other.db'), '--database-url', inFolder('none.db'));
    expect(none).toEqual({ status: 1, stderr: expect.stringContaining('There is no store') });
    expect(existsSync(inFolder('none.db'))).toBe(false);
  });
});

describe('backup, restore and check', () => {
  it('show their progress on a terminal, and nothing elsewhere', async () => {
    const backup = inFolder('backup.db');
    await fillFile(at.store, 3000);
    const read = 'pets read 3,000 of 3,000';

    const made = await runOnTerminal(['backup', backup, '--database-url', at.store]);
    expect(made.screen).toMatch(
      new RegExp(`^Checking .*\\.db …\nCopying .*\\.db …\nChecking the copy …\n[^\n]*${read}`),
    );
    expect(made.screen).toMatch(/\nBacked up 3,000 pets and 851 orders of .* to .*\n$/);
    const command = ['restore', backup, '--force', '--database-url', at.store];
    const restored = await runOnTerminal(command);
    expect(restored.screen).toMatch(new RegExp(`^Fetching .*\\.db …\nChecking the copy …\n[^\n]*${read}`));
    const check = ['check', '--port', '0', '--database-url', at.store];
    const checked = await runOnTerminal(check);
    expect(checked.screen).toMatch(new RegExp(`\nChecking .*\\.db …\n[^\n]*${read}`));
    expect(await runCli(command)).toMatchObject({ status: 0, stderr: '' });
  });
});

describe('a pet that the disk has changed', () => {
  it('is refused by backup and restore, and found by petstore check', async () => {
    const backup = inFolder('backup.db');
    await fillFile(at.store, 3);
    await copySqlite(at.store, backup, noReport);
    for (const file of [at.store, backup]) {
      using database = new Database(file);
      database.run(`UPDATE pets SET json = replace(json, '"categoryId":', '"categoryId":1') WHERE id = 2`);
    }
    const commands = [
      ['backup', inFolder('other.db'), '--database-url', at.store],
      ['restore', backup, '--force', '--database-url', at.store],
      ['restore', backup, '--database-url', inFolder('new.db')],
    ];
    for (const command of commands)
      expect(await refusalOf(...command)).toEqual({
        status: 1,
        stderr: expect.stringMatching(/^petstore: The database .*\.db is damaged at pet 2\.[^]*\n$/),
      });
    expect(readdirSync(at.path).filter((name) => !name.startsWith('petstore.db'))).toEqual(['backup.db']);
    const checked = storeAt(at.store).check({ log: silentLog, report: noReport });
    expect(String(await failureOf(checked))).toContain('is damaged at pet 2.');
  });
});
