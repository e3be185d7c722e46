import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'bun:test';
import { onlyAddedPets, type Job, type JobResult } from '../../src/sqlite/jobs.ts';
import {
  createClaimCheck,
  createClaiming,
  createClaims,
  type Claiming,
} from '../../src/sqlite/own-commits.ts';
import { mapWalIndex, type WalIndex } from '../../src/sqlite/wal/header.ts';
import { makeSqlitePlace, type SqlitePlace } from '../store-place.ts';

describe.if(process.platform === 'linux')('commits since the last look', () => {
  let place: SqlitePlace;
  let own: Database;
  let stranger: Database;
  let index: WalIndex;
  let claiming: Claiming;
  let areClaimed: () => boolean;

  beforeEach(async () => {
    place = await makeSqlitePlace();
    own = new Database(place.path, { create: true });
    own.run('PRAGMA journal_mode = WAL');
    own.run('CREATE TABLE numbers (number INTEGER)');
    stranger = new Database(place.path);
    index = mapWalIndex(place.path)!;
    const claims = createClaims();
    claiming = createClaiming(index, claims);
    const check = createClaimCheck(claims);
    areClaimed = () => check(index);
    commitOwn();
    areClaimed();
  });
  afterEach(async () => {
    own.close();
    stranger.close();
    await place[Symbol.asyncDispose]();
  });

  const insert = 'INSERT INTO numbers VALUES (1)';
  const commitStrange = (): void => void stranger.run(insert);
  function commitOwn(beforeClaim?: () => void): void {
    own.run('BEGIN IMMEDIATE');
    claiming.begin();
    own.run(insert);
    own.run('COMMIT');
    beforeClaim?.();
    claiming.claim();
  }

  it('are our own while nobody else commits, also over a new log', () => {
    for (let count = 0; count < 10; count++) {
      commitOwn();
      commitOwn();
      expect(areClaimed()).toBe(true);
      own.run('PRAGMA wal_checkpoint(PASSIVE)');
    }
  });

  it.each<[string, () => void]>([
    ['last', () => (commitOwn(), commitStrange())],
    ['first', () => (commitStrange(), commitOwn())],
    ['between', () => (commitOwn(), commitStrange(), commitOwn(), commitOwn())],
    ['between a commit and its claim', () => commitOwn(commitStrange)],
    [
      'between a commit and its claim, and the next is our own',
      () => (commitOwn(commitStrange), commitOwn()),
    ],
  ])('are not when a stranger’s is among them: %s', (_, commit) => {
    for (let count = 0; count < 10; count++) {
      commit();
      expect(areClaimed()).toBe(false);
      commitOwn();
      areClaimed();
      commitOwn();
      expect(areClaimed()).toBe(true);
    }
  });

  it('are not when one is left unclaimed', () => {
    own.run(insert);
    expect(areClaimed()).toBe(false);
    own.run(insert);
    commitOwn();
    expect(areClaimed()).toBe(false);
  });

  it('are our own after a transaction that was undone', () => {
    own.run('BEGIN IMMEDIATE');
    claiming.begin();
    own.run(insert);
    own.run('ROLLBACK');
    commitOwn();
    expect(areClaimed()).toBe(true);
  });
});

describe('a commit', () => {
  const create: Job = { kind: 'create-pet', fields: '', status: null };
  const revoke: Job = { kind: 'revoke-key', id: '1', revokedAt: 0 };
  const replayed = { replayedId: '1' };

  // One that changed nothing leaves no trace, and the next that is seen would be taken for it.
  it.each<[boolean, string, Job[], JobResult[]]>([
    [true, 'added animals', [create, create], ['1', '2']],
    [true, 'added animals and found others', [create, create], [replayed, '2']],
    [false, 'changed nothing', [create, create], [replayed, { isConflict: true }]],
    [false, 'changed keys, too', [create, revoke], ['1', null]],
    [false, 'did something else', [{ kind: 'probe', now: 0 }], [null]],
  ])('is claimed: %p, when it %s', (isClaimed, _, jobs, results) => {
    expect(onlyAddedPets(jobs, results)).toBe(isClaimed);
  });
});
