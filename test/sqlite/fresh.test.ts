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
  freshness = createFreshness(place.path, () => void drops++);
});
afterEach(async () => {
  reading.close();
  writing.close();
  await place[Symbol.asyncDispose]();
});

const commit = () => writing.run('INSERT INTO numbers VALUES (1)');
const dropsAtCheck = () => {
  const before = drops;
  freshness.check();
  return drops - before;
};

describe('Freshness', () => {
  it('drops nothing while nobody commits', () => {
    reading.query('SELECT count(*) FROM numbers').get();
    writing.run('BEGIN IMMEDIATE');
    writing.run('INSERT INTO numbers VALUES (1)');
    writing.run('ROLLBACK');
    for (let count = 0; count < 3; count++) expect(dropsAtCheck()).toBe(0);
  });

  it('drops once for each commit of another connection, in the very same turn of the event loop', () => {
    for (let count = 0; count < 1000; count++) {
      commit();
      expect(dropsAtCheck()).toBe(1);
      expect(dropsAtCheck()).toBe(0);
    }
  });

  it('goes on seeing commits when the log begins anew', () => {
    for (let count = 0; count < 20; count++) {
      writing.run('PRAGMA wal_checkpoint(TRUNCATE)');
      freshness.check();
      commit();
      expect(dropsAtCheck()).toBe(1);
    }
  });

  it('sees the commits of another process', () => {
    const insert = `new (require('bun:sqlite').Database)(process.argv[1]).run('INSERT INTO numbers VALUES (1)')`;
    for (let count = 0; count < 5; count++) {
      expect(Bun.spawnSync([process.execPath, '-e', insert, place.path]).exitCode).toBe(0);
      expect(dropsAtCheck()).toBe(1);
      expect(dropsAtCheck()).toBe(0);
    }
  });
});
