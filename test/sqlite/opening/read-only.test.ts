import type { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'bun:test';
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readUnchanged } from '../../../src/sqlite/opening/read-only.ts';
import { findExisting } from '../../../src/sqlite/opening/store-file.ts';
import { makeFolder, type Folder } from '../../support/process/process.ts';
import { hashesOf } from '../../support/file-hashes.ts';

let folder: Folder;
let path: string;

beforeEach(() => {
  folder = makeFolder();
  path = folder.database;
});
afterEach(() => folder[Symbol.dispose]());

/** Runs in a process of its own, which ends without closing anything. */
function crashed(work: string): void {
  const { stderr } = Bun.spawnSync([
    process.execPath,
    '-e',
    `${program(work)} process.kill(process.pid, 9);`,
    path,
  ]);
  expect(stderr.toString()).toBe('');
}

const program = (work: string) => `
  const { Database } = require('bun:sqlite');
  const database = new Database(process.argv[1], { create: true });
  database.run('PRAGMA busy_timeout = 60000');
  database.run('PRAGMA journal_mode = WAL');
  database.run('CREATE TABLE IF NOT EXISTS numbers (number INTEGER)');
  ${work}`;

const insert = `database.run('INSERT INTO numbers VALUES (1)');`;
const count = (database: Database): number =>
  (database.query('SELECT count(*) AS count FROM numbers').get() as { count: number }).count;

describe('readUnchanged', () => {
  it.each<[string, () => void]>([
    ['crashed', () => crashed(insert.repeat(5))],
    [
      'crashed, without shared memory',
      () => {
        crashed(insert.repeat(5));
        rmSync(`${path}-shm`);
      },
    ],
    ['stopped', () => crashed(`${insert.repeat(5)} database.run('PRAGMA wal_checkpoint(TRUNCATE)');`)],
    ['stopped, without side files', () => crashed(`${insert.repeat(5)} database.close();`)],
    [
      'under a name with special characters',
      () => {
        crashed(insert.repeat(5));
        const odd = join(folder.path, 'ä b?c#d%41&e.db');
        for (const suffix of ['', '-wal', '-shm']) renameSync(path + suffix, odd + suffix);
        path = odd;
      },
    ],
  ])('reads a whole store that nobody uses, and changes no byte of it: %s', (_title, make) => {
    make();
    const before = hashesOf(folder.path);
    expect(readUnchanged(findExisting(path)!, count)).toBe(5);
    expect(hashesOf(folder.path)).toEqual(before);
  });

  it('never takes a store that others write to for damaged, and reads one commit of it', async () => {
    crashed(insert);
    const writers = [3, 50].map((pages) =>
      Bun.spawn([
        process.execPath,
        '-e',
        program(`
          database.run('PRAGMA synchronous = OFF');
          database.run('PRAGMA wal_autocheckpoint = ${pages}');
          for (let count = 0; count < 3000; count++) database.run('INSERT INTO numbers VALUES (1), (2)');`),
        path,
      ]),
    );
    let last = 0;
    try {
      while (writers.some(({ exitCode }) => exitCode === null)) {
        const seen = readUnchanged(findExisting(path)!, (database) => {
          expect(database.query('PRAGMA quick_check(1)').get()).toEqual({ quick_check: 'ok' });
          return count(database);
        });
        expect(seen % 2).toBe(1);
        expect(seen).toBeGreaterThanOrEqual(last);
        last = seen;
        await Bun.sleep(0);
      }
      expect(writers.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    } finally {
      writers.forEach((writer) => writer.kill('SIGKILL'));
    }
    expect(readUnchanged(findExisting(path)!, count)).toBe(12_001);
  });
});
