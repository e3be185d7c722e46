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
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('Freshness', () => {
  it('drops nothing while the file stays the same', async () => {
    for (let turn = 0; turn < 3; turn++) {
      freshness.check();
      await nextTurn();
    }
    expect(drops).toBe(0);
  });

  it('drops once for a commit of another connection', async () => {
    commit();
    freshness.check();
    freshness.check();
    await nextTurn();
    freshness.check();
    expect(drops).toBe(1);
  });

  it('looks once a turn', async () => {
    freshness.check();
    commit();
    freshness.check();
    expect(drops).toBe(0);
    await nextTurn();
    freshness.check();
    expect(drops).toBe(1);
  });

  it('looks again in the same turn after a write of this process was acknowledged', () => {
    freshness.check();
    commit();
    freshness.lookAgain();
    freshness.check();
    expect(drops).toBe(1);
  });

  it('is not fooled by a look that failed', () => {
    freshness.check();
    freshness.lookAgain();
    reading.close();
    expect(() => freshness.check()).toThrow();
    expect(() => freshness.check()).toThrow();
  });
});
