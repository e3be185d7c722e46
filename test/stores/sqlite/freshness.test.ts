import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'bun:test';
import { closeSync, openSync, writeSync } from 'node:fs';
import { issueKey } from '../../../src/stores/issue-key.ts';
import { createFreshness, type Freshness } from '../../../src/stores/sqlite/freshness.ts';
import { openSqliteStore } from '../../../src/stores/sqlite/open.ts';
import { openConnection, type RawConnection } from '../../support/http/raw-http.ts';
import { startService } from '../../support/process/process.ts';
import { makeSqlitePlace, type SqlitePlace } from '../../support/store-place.ts';

let place: SqlitePlace;
let reading: Database;
let writing: Database;
let freshness: Freshness;

beforeEach(async () => {
  place = await makeSqlitePlace();
  writing = new Database(place.path, { create: true });
  writing.run('PRAGMA journal_mode = WAL');
  writing.run('CREATE TABLE numbers (number INTEGER)');
  reading = new Database(place.path);
  freshness = createFreshness(reading, { problem: () => undefined });
});
afterEach(async () => {
  freshness.close();
  reading.close();
  writing.close();
  await place[Symbol.asyncDispose]();
});

const insert = 'INSERT INTO numbers VALUES (1)';
const commit = () => writing.run(insert);
const count = () =>
  reading.query<{ count: number }, []>('SELECT count(*) AS count FROM numbers').get()?.count;

/** Stays within the turn of the event loop. */
function spinAMillisecond(): void {
  for (const end = performance.now() + 1; performance.now() <= end;);
}

describe('the freshness of reads and versions', () => {
  it('follows each reply of the writer at once, within one turn', () => {
    const versions = new Set<number>();
    for (let commits = 0; commits < 100; commits++) {
      const version = freshness.version()!;
      expect(freshness.read(count)).toBe(commits);
      expect(versions.has(version)).toBe(false);
      versions.add(version);
      commit();
      freshness.noteWritten();
    }
  });

  it('follows the commits of others after a millisecond, even while the reads of the turn share a transaction', () => {
    for (let commits = 0; commits < 20; commits++) {
      spinAMillisecond();
      const version = freshness.version()!;
      expect(freshness.read(count)).toBe(commits);
      expect(reading.inTransaction).toBe(true);
      commit();
      spinAMillisecond();
      expect(freshness.read(count)).toBe(commits + 1);
      expect(freshness.version()!).toBeGreaterThan(version);
    }
  });

  it('follows commits after the log was checkpointed and restarted', () => {
    for (let round = 0; round < 10; round++) {
      for (const disturb of [() => {}, () => writing.run('PRAGMA wal_checkpoint(TRUNCATE)')]) {
        const version = freshness.version()!;
        disturb();
        commit();
        spinAMillisecond();
        expect(freshness.version()!).toBeGreaterThan(version);
      }
    }
  });

  it('has the same version while nobody commits', () => {
    const version = freshness.version()!;
    for (let round = 0; round < 3; round++) {
      writing.run('BEGIN IMMEDIATE');
      commit();
      writing.run('ROLLBACK');
      freshness.noteWritten();
      spinAMillisecond();
      expect(freshness.version()).toBe(version);
    }
  });

  it('survives a damaged page: the read that meets it fails, and the next one succeeds', async () => {
    writing.run(`WITH RECURSIVE rows (row) AS (SELECT 1 UNION ALL SELECT row + 1 FROM rows WHERE row < 2000)
      INSERT INTO numbers SELECT 1 FROM rows`);
    writing.run('PRAGMA wal_checkpoint(TRUNCATE)');
    const file = openSync(place.path, 'r+');
    writeSync(file, Buffer.alloc(4096, 0xff), 0, 4096, 3 * 4096);
    closeSync(file);
    expect(() => freshness.read(count)).toThrow(expect.objectContaining({ code: 'unavailable' }));
    // The transaction of the turn ends.
    await new Promise((resolve) => setImmediate(resolve));
    const first = () => reading.query('SELECT number FROM numbers LIMIT 1').get();
    expect(freshness.read(first)).toEqual({ number: 1 });
  });

  it('lets the reads of a turn share a transaction that ends with the turn', async () => {
    for (let turn = 0; turn < 3; turn++) {
      freshness.read(() => {});
      freshness.read(() => {});
      expect(reading.inTransaction).toBe(true);
      await new Promise((resolve) => setImmediate(resolve));
      expect(reading.inTransaction).toBe(false);
    }
  });
});

describe('what another process has reported', () => {
  const keyCount = 100;
  const readers = 4;

  it(`holds for the next request under load: ${keyCount} keys are accepted once created and refused once revoked`, async () => {
    await using service = await startService();
    const store = openSqliteStore({ path: service.database });
    // Reads only: after a write of its own, the service would ask at once.
    const ending = new AbortController();
    const load = Array.from({ length: readers }, async () => {
      using connection = await connect(service.url);
      while (!ending.signal.aborted) await connection.send('GET', '/v1/pets', { key: service.apiKey });
    });
    using caller = await connect(service.url);
    const statusOf = async (key: string) => {
      const response = await caller.send('GET', '/v1/pets', { key });
      return typeof response === 'string' ? response : response.status;
    };
    const issued = [];
    const afterCreation = [];
    for (let index = 0; index < keyCount; index++) {
      const one = await issueKey(store.keys, { name: 'till', now: new Date() });
      afterCreation.push(await statusOf(one.text));
      issued.push(one);
    }
    const afterRevocation = [];
    for (const { key, text } of issued) {
      // The service keeps it in memory now.
      await statusOf(text);
      await store.keys.revokeKey(key.id, new Date());
      afterRevocation.push(await statusOf(text));
    }
    ending.abort();
    await Promise.all(load);
    await store.close();
    expect(afterCreation).toEqual(Array(keyCount).fill(200));
    expect(afterRevocation).toEqual(Array(keyCount).fill(401));
  });
});

async function connect(url: string): Promise<RawConnection> {
  const connection = await openConnection(url);
  if (!connection) throw new Error('Nobody listens.');
  return connection;
}
