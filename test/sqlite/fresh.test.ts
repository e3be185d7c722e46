import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'bun:test';
import { createFreshness, type Freshness } from '../../src/sqlite/fresh.ts';
import { makeSqlitePlace, type SqlitePlace } from '../store-place.ts';

let place: SqlitePlace;
let reading: Database;
let writing: Database;
let freshness: Freshness;
let drops: number;

beforeEach(async () => {
  place = await makeSqlitePlace();
  writing = new Database(place.path, { create: true });
  writing.run('PRAGMA journal_mode = WAL');
  writing.run('CREATE TABLE numbers (number INTEGER)');
  reading = new Database(place.path);
  drops = 0;
  freshness = createFreshness(reading, () => void drops++);
});
afterEach(async () => {
  reading.close();
  writing.close();
  await place[Symbol.asyncDispose]();
});

const commit = () => writing.run('INSERT INTO numbers VALUES (1)');
/** What a request does: it looks, more than once, and is over before the next one. */
const dropsOfRequest = async () => {
  const before = drops;
  freshness.check();
  freshness.check();
  await Promise.resolve();
  return drops - before;
};

describe('Freshness', () => {
  it('drops nothing while nobody commits', async () => {
    reading.query('SELECT count(*) FROM numbers').get();
    writing.run('BEGIN IMMEDIATE');
    writing.run('INSERT INTO numbers VALUES (1)');
    writing.run('ROLLBACK');
    for (let count = 0; count < 3; count++) expect(await dropsOfRequest()).toBe(0);
  });

  it('drops once for each commit of another connection, at the very next request', async () => {
    for (let count = 0; count < 1000; count++) {
      commit();
      expect(await dropsOfRequest()).toBe(1);
      expect(await dropsOfRequest()).toBe(0);
    }
  });

  it('sees the commits of another process', async () => {
    const insert = `new (require('bun:sqlite').Database)(process.argv[1]).run('INSERT INTO numbers VALUES (1)')`;
    for (let count = 0; count < 5; count++) {
      expect(Bun.spawnSync([process.execPath, '-e', insert, place.path]).exitCode).toBe(0);
      expect(await dropsOfRequest()).toBe(1);
      expect(await dropsOfRequest()).toBe(0);
    }
  });

  it('is not fooled by a look that failed', () => {
    reading.close();
    expect(() => freshness.check()).toThrow();
    expect(() => freshness.check()).toThrow();
  });
});
