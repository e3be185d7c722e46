import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'bun:test';
import {
  createFreshness,
  watchDataVersion,
  watchWalIndex,
  type CommitWatch,
} from '../../../src/stores/sqlite/watch.ts';
import { makeSqlitePlace, type SqlitePlace } from '../../support/store-place.ts';

let place: SqlitePlace;
let reading: Database;
let writing: Database;

beforeEach(async () => {
  place = await makeSqlitePlace();
  writing = new Database(place.path, { create: true });
  writing.run('PRAGMA journal_mode = WAL');
  writing.run('CREATE TABLE numbers (number INTEGER)');
  reading = new Database(place.path);
});
afterEach(async () => {
  reading.close();
  writing.close();
  await place[Symbol.asyncDispose]();
});

const inPlace = { problem: () => undefined };
const commit = () => writing.run('INSERT INTO numbers VALUES (1)');
const watchSharedMemory = (): CommitWatch => {
  const commits = watchWalIndex(place.path);
  if (!commits) throw new Error('The shared memory of SQLite cannot be read here.');
  return commits;
};
const ways: [string, () => CommitWatch][] = [['by asking SQLite', () => watchDataVersion(reading)]];
if (process.platform === 'linux') ways.push(['in shared memory', watchSharedMemory]);

describe.each(ways)('watching for commits %s', (_, watch) => {
  it('sees nothing while nobody commits', () => {
    const { takeChange } = watch();
    reading.query('SELECT count(*) FROM numbers').get();
    writing.run('BEGIN IMMEDIATE');
    writing.run('INSERT INTO numbers VALUES (1)');
    writing.run('ROLLBACK');
    for (let count = 0; count < 3; count++) expect(takeChange()).toBe(false);
  });

  it('sees each commit of another connection at once, and only once', () => {
    const { takeChange } = watch();
    for (let count = 0; count < 1000; count++) {
      commit();
      expect([takeChange(), takeChange()]).toEqual([true, false]);
    }
  });

  it('sees the commits of another process', () => {
    const { takeChange } = watch();
    const insert = `new (require('bun:sqlite').Database)(process.argv[1]).run('INSERT INTO numbers VALUES (1)')`;
    for (let count = 0; count < 2; count++) {
      expect(Bun.spawnSync([process.execPath, '-e', insert, place.path]).exitCode).toBe(0);
      expect([takeChange(), takeChange()]).toEqual([true, false]);
    }
  });

  it('sees a commit after the log was checkpointed and restarted', () => {
    const { takeChange } = watch();
    for (let count = 0; count < 20; count++) {
      commit();
      expect(takeChange()).toBe(true);
      writing.run('PRAGMA wal_checkpoint(TRUNCATE)');
      commit();
      expect(takeChange()).toBe(true);
    }
  });

  it('makes a read see every commit, and gives each a new version, within one turn of the event loop', () => {
    const freshness = createFreshness(reading, watch(), inPlace);
    const select = reading.query<{ count: number }, []>('SELECT count(*) AS count FROM numbers');
    const versions = new Set<number>();
    for (let count = 0; count < 100; count++) {
      const version = freshness.version();
      expect(freshness.read(() => select.get()?.count)).toBe(count);
      expect(freshness.version()).toBe(version);
      expect(versions.has(version)).toBe(false);
      versions.add(version);
      commit();
    }
    freshness.close();
    expect(reading.inTransaction).toBe(false);
  });
});

describe('watching for commits in shared memory', () => {
  it.if(process.platform === 'linux')(
    'lets the reads of a turn share a transaction that ends with the turn',
    async () => {
      const freshness = createFreshness(reading, watchSharedMemory(), inPlace);
      for (let turn = 0; turn < 3; turn++) {
        freshness.read(() => {});
        freshness.read(() => {});
        expect(reading.inTransaction).toBe(true);
        await new Promise((resolve) => setImmediate(resolve));
        expect(reading.inTransaction).toBe(false);
      }
    },
  );

  it.if(process.platform === 'linux')('does not drop the locks of SQLite', () => {
    writing.run('BEGIN IMMEDIATE');
    watchSharedMemory();
    Bun.gc(true);
    const begin = `new (require('bun:sqlite').Database)(process.argv[1]).run('BEGIN IMMEDIATE')`;
    const other = Bun.spawnSync([process.execPath, '-e', begin, place.path], { stderr: 'pipe' });
    expect(other.stderr.toString()).toContain('SQLITE_BUSY');
    writing.run('ROLLBACK');
  });
});
