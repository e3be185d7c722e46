import { describe, expect, it } from 'bun:test';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { noReport } from '../../../src/system/progress.ts';
import { openSqliteStore } from '../../../src/stores/sqlite/open.ts';
import { addBackup } from '../../../src/stores/backups/backups.ts';
import { openPlace } from '../../../src/stores/backups/places.ts';
import { makeOld } from '../../support/process/backup-world.ts';
import { makeFolder } from '../../support/process/process.ts';

describe('a file that a killed backup or restore has left', () => {
  it('is removed after a day, with the files that SQLite kept beside it', async () => {
    using folder = makeFolder();
    await openSqliteStore({ path: folder.database }).close();
    for (const name of [`${folder.path}/petstore-backup`, folder.database]) {
      for (const suffix of ['', '-journal', '-wal', '-shm']) {
        const left = `${name}.0123456789ab.partial${suffix}`;
        writeFileSync(left, 'x');
        makeOld(left);
      }
    }
    await addBackup({
      place: openPlace(folder.path, {}),
      store: folder.database,
      name: 'monday.db',
      report: noReport,
    });
    await openSqliteStore({ path: folder.database }).close();
    expect(readdirSync(folder.path).filter((name) => name.includes('partial'))).toEqual([]);
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
