import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'bun:test';
import { copyFileSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkLog } from '../../../src/sqlite/wal/check.ts';
import { openSqliteStore } from '../../../src/sqlite/open.ts';
import { makeFolder, type Folder } from '../../support/process/process.ts';

const frameBytes = 24 + 4096;
const headerBytes = 32;
const commits = 12;

let folder: Folder;
/** A store as a crash leaves it: every commit is one frame of its log, and none of them is in its file. */
let path: string;
let log: string;

beforeEach(() => {
  folder = makeFolder();
  path = join(folder.path, 'crashed.db');
  log = `${path}-wal`;
  const database = new Database(folder.database, { create: true });
  database.run('PRAGMA journal_mode = WAL');
  database.run('CREATE TABLE pets (name TEXT)');
  database.run('PRAGMA wal_checkpoint(TRUNCATE)');
  for (let count = 0; count < commits; count++) database.run(`INSERT INTO pets VALUES ('Rex ${count}')`);
  for (const suffix of ['', '-wal']) copyFileSync(folder.database + suffix, path + suffix);
  copyFileSync(`${folder.database}-shm`, sharedMemory());
  database.close();
});
afterEach(() => folder[Symbol.dispose]());

const sharedMemory = () => join(folder.path, 'shared-memory');

function flip(...places: number[]): void {
  const bytes = readFileSync(log);
  for (const place of places) bytes[place]! ^= 0x10;
  writeFileSync(log, bytes);
}

const placeOf = (frame: number, offset: number) => headerBytes + frame * frameBytes + offset;
const sound = { isDamaged: false, missingPages: 0 };

describe('checkLog', () => {
  it.each([
    ['is as it was written', () => {}],
    ['is empty', () => truncateSync(log, 0)],
    ['ends in its header', () => truncateSync(log, 20)],
    ['is not there', () => rmSync(log)],
    ['ends within a frame, as after a crash', () => truncateSync(log, placeOf(commits - 1, 1000))],
    ['has a torn last commit, as after a power cut', () => flip(placeOf(commits - 1, 1000))],
    ['has a length but no content', () => writeFileSync(log, Buffer.alloc(placeOf(3, 0)))],
  ])('accepts a log that %s', (_title, harm) => {
    harm();
    expect(checkLog(path)).toEqual(sound);
  });

  it('accepts leftovers of an earlier log behind the end', () => {
    const database = new Database(path);
    database.run('PRAGMA wal_checkpoint(RESTART)');
    database.run(`INSERT INTO pets VALUES ('new log')`);
    expect(readFileSync(log).length).toBe(placeOf(commits, 0));
    expect(checkLog(path)).toEqual(sound);
    database.close();
  });

  it('accepts the rest of a commit whose sync failed, behind a shorter one', () => {
    const bytes = readFileSync(log);
    // The rest of the failed one has the salts of the log and ends in a commit, but nothing follows it.
    const rest = bytes.subarray(placeOf(commits - 2, 0));
    writeFileSync(
      log,
      Buffer.concat([bytes.subarray(0, placeOf(commits - 3, 0)), rest.subarray(frameBytes)]),
    );
    expect(checkLog(path)).toEqual(sound);
  });
});

describe('checkLog while others write', () => {
  it('never takes the log for damaged, however often SQLite restarts it', async () => {
    const writers = [3, 50].map((pages) => Bun.spawn([process.execPath, '-e', writeOn(pages), path]));
    try {
      while (writers.some(({ exitCode }) => exitCode === null)) {
        expect(checkLog(path)).toEqual(sound);
        await Bun.sleep(0);
      }
      expect(writers.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    } finally {
      writers.forEach((writer) => writer.kill('SIGKILL'));
    }
  });

  /** Without waiting for the disk, which would only make it rarer that both meet. */
  const writeOn = (pages: number) => `
    const { Database } = require('bun:sqlite');
    const database = new Database(process.argv[1]);
    database.run('PRAGMA busy_timeout = 60000');
    database.run('PRAGMA synchronous = OFF');
    database.run('PRAGMA wal_autocheckpoint = ${pages}');
    for (let count = 0; count < 5000; count++) database.run('INSERT INTO pets VALUES (hex(randomblob(1500)))');`;
});

describe('checkLog on a log with damage before synced commits', () => {
  const harms: [string, () => void][] = [
    ['in a page', () => flip(placeOf(2, 3000))],
    ['in the last page but one', () => flip(placeOf(commits - 2, 3000))],
    ['in the number of a page', () => flip(placeOf(4, 3))],
    ['in a salt', () => flip(placeOf(0, 9))],
    ['in a checksum', () => flip(placeOf(5, 18))],
    ['at several places', () => flip(placeOf(1, 50), placeOf(5, 18), placeOf(8, 9))],
    ...[0, 3, 6, 10, 14, 18, 22, 26, 31].map((place): [string, () => void] => [
      `in byte ${place} of its header`,
      () => flip(place),
    ]),
  ];
  it.each(harms)('reports damage %s', (_title, harm) => {
    harm();
    expect(checkLog(path).isDamaged).toBe(true);
  });

  it('makes openSqliteStore refuse the store and leave it as it is', () => {
    flip(placeOf(2, 3000));
    const before = readFileSync(log);
    expect(() => openSqliteStore({ path })).toThrow(/is damaged\. Nothing was changed\..*petstore restore/);
    expect(readFileSync(log).equals(before)).toBe(true);
  });
});

describe('checkLog beside the shared memory of a crashed process', () => {
  const keepSharedMemory = (change: (bytes: Buffer) => void = () => {}) => {
    const bytes = readFileSync(sharedMemory());
    change(bytes);
    writeFileSync(`${path}-shm`, bytes);
  };

  it.each([
    ['lacks its last commit', () => truncateSync(log, placeOf(commits - 1, 0))],
    ['has a torn last commit', () => flip(placeOf(commits - 1, 1000))],
    ['is only a header', () => truncateSync(log, placeOf(0, 1))],
  ])('reports damage when the log %s', (_title, harm) => {
    keepSharedMemory();
    harm();
    expect(checkLog(path).isDamaged).toBe(true);
  });

  it.each([
    ['is as it was written', () => {}, () => {}],
    ['is in the database file already', () => truncateSync(log, placeOf(3, 0)), copiedFrames(commits)],
    ['is another one', () => truncateSync(log, placeOf(3, 0)), inBothHeaders(33)],
    [
      'is described by half a header',
      () => truncateSync(log, placeOf(3, 0)),
      (bytes: Buffer) => flipIn(bytes, 20),
    ],
  ])('accepts a log that %s', (_title, harm, change) => {
    keepSharedMemory(change);
    harm();
    expect(checkLog(path)).toEqual(sound);
  });

  function copiedFrames(count: number) {
    return (bytes: Buffer) => void bytes.writeUInt32LE(count, 96);
  }
  function inBothHeaders(place: number) {
    return (bytes: Buffer) => [place, place + 48].forEach((each) => flipIn(bytes, each));
  }
  function flipIn(bytes: Buffer, place: number): void {
    bytes[place]! ^= 0x10;
  }
});

describe('checkLog beside a database file that is too short', () => {
  it('reports damage when the file is empty, before SQLite removes the log', () => {
    truncateSync(path, 0);
    expect(checkLog(path).isDamaged).toBe(true);
    expect(() => openSqliteStore({ path })).toThrow(/is damaged/);
    expect(existsSync(log)).toBe(true);
  });

  it('counts the pages that neither the file nor the log holds', () => {
    const database = new Database(path);
    database.run('CREATE TABLE more (x)');
    for (let count = 0; count < 40; count++) database.run('INSERT INTO more VALUES (randomblob(2000))');
    database.run('PRAGMA wal_checkpoint(TRUNCATE)');
    database.run(`INSERT INTO pets VALUES ('last')`);
    expect(checkLog(path)).toEqual(sound);
    const { size } = Bun.file(path);
    truncateSync(path, size - 5 * 4096 + 100);
    expect(checkLog(path)).toEqual({ isDamaged: false, missingPages: 5 });
    truncateSync(path, size);
    database.close();
  });
});
