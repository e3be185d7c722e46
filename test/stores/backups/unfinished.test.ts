import { describe, expect, it } from 'bun:test';
import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { noReport } from '../../../src/system/progress.ts';
import { openSqliteStore } from '../../../src/stores/sqlite/open.ts';
import { addBackup } from '../../../src/stores/backups/backups.ts';
import { openPlace } from '../../../src/stores/backups/places.ts';
import { makeFolder, runCli } from '../../support/process/process.ts';

describe('an unfinished backup', () => {
  it('is readable by its owner alone from the beginning', async () => {
    using folder = makeFolder();
    using snapshots = makeFolder();
    await openSqliteStore({ path: folder.database }).close();
    const preload = join(import.meta.dir, '../sqlite/maintenance/faulty-files.cjs');
    const { status } = await runCli(
      ['backup', join(folder.path, 'backup.db'), '--database-url', folder.database],
      {
        env: { FOLDER: folder.path, SNAPSHOTS: snapshots.path },
        wrap: ([bun = '', ...command]) => [bun, '--preload', preload, ...command],
      },
    );
    expect(status).toBe(0);
    const drafts = readdirSync(snapshots.path, { recursive: true })
      .map((name) => join(snapshots.path, String(name)))
      .filter((path) => path.endsWith('.partial'));
    const sizes = drafts.map((path) => statSync(path).size);
    expect([Math.min(...sizes), Math.max(...sizes)]).toEqual([
      0,
      statSync(join(folder.path, 'backup.db')).size,
    ]);
    expect(new Set(drafts.map((path) => statSync(path).mode & 0o777))).toEqual(new Set([0o600]));
  });
});

describe('a file that a killed backup or restore has left', () => {
  it('is removed after a day, with the files that SQLite kept beside it', async () => {
    using folder = makeFolder();
    await openSqliteStore({ path: folder.database }).close();
    const twoDaysAgo = new Date(Date.now() - 2 * 86_400_000);
    for (const name of [`${folder.path}/petstore-backup`, folder.database]) {
      for (const suffix of ['', '-journal', '-wal', '-shm']) {
        const left = `${name}.0123456789ab.partial${suffix}`;
        writeFileSync(left, 'x');
        utimesSync(left, twoDaysAgo, twoDaysAgo);
      }
    }
    const young = 'petstore-backup.ba9876543210.partial';
    writeFileSync(join(folder.path, young), 'x');
    await addBackup({
      place: openPlace(folder.path, {}),
      store: folder.database,
      name: 'monday.db',
      report: noReport,
    });
    await openSqliteStore({ path: folder.database }).close();
    expect(readdirSync(folder.path).filter((name) => name.includes('partial'))).toEqual([young]);
  });

  it('stays for a day, because a restore may be under way', async () => {
    using folder = makeFolder();
    await openSqliteStore({ path: folder.database }).close();
    const partial = `${folder.database}.0123456789ab.partial`;
    writeFileSync(partial, 'x');
    await openSqliteStore({ path: folder.database }).close();
    expect(existsSync(partial)).toBe(true);
  });
});
