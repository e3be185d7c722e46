import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addBackup } from '../../../src/stores/backups/add-backup.ts';
import { openPlace } from '../../../src/stores/backups/catalog.ts';
import { issueKey } from '../../../src/stores/issue-key.ts';
import { makeSampleStore } from '../../../src/stores/sqlite/maintenance/sample-store.ts';
import { openSqliteStore } from '../../../src/stores/sqlite/open.ts';
import { noReport } from '../../../src/system/progress.ts';
import { addPet, idsOf } from '../../support/http/calls.ts';
import { makeFolder, runCli, startService } from '../../support/process/process.ts';
import { useStoreFolder } from '../../support/process/store-folder.ts';

const at = useStoreFolder();
const { inFolder, run, expectRefused } = at;

const undoRevocations = `
  CREATE TRIGGER undo AFTER UPDATE OF revoked_at ON api_keys WHEN new.revoked_at IS NOT NULL
  BEGIN UPDATE api_keys SET revoked_at = NULL WHERE id = new.id; END`;

const changes: [string, string, string][] = [
  ['a trigger that undoes revocations', undoRevocations, 'trigger undo'],
  [
    'an endless view in place of its pets',
    `DROP TABLE pets;
     CREATE VIEW pets AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)
       SELECT x AS id, NULL AS status, '' AS json, 0 AS checksum FROM n`,
    'view pets',
  ],
];

function change(path: string, sql: string): void {
  using database = new Database(path);
  database.run('PRAGMA journal_mode = DELETE');
  database.run(sql);
}

const made = makeFolder();
beforeAll(async () => {
  makeSampleStore(made.database, { seed: 1, count: 3 });
  const store = openSqliteStore({ path: made.database });
  await issueKey(store.keys, { name: 'till', now: new Date() });
  await store.close();
  mkdirSync(join(made.path, 'place'));
  const place = openPlace(join(made.path, 'place'), {});
  await addBackup({ place, store: made.database, keep: undefined, report: noReport });
});
afterAll(() => made[Symbol.dispose]());

beforeEach(() => cpSync(made.path, at.path, { recursive: true }));

describe('a store with a trigger', () => {
  it('is refused by every command that opens it', async () => {
    change(at.store, undoRevocations);
    for (const command of ['serve', 'doctor', 'keys revoke 1', 'export', 'backup b.db']) {
      await expectRefused('trigger undo', ...command.split(' '));
    }
  });
});

describe.each(changes)('a store with %s', (_title, sql, found) => {
  it('is refused as a backup by restore and rehearse, and as a store by commands that write or read', async () => {
    const [name = ''] = readdirSync(inFolder('place')).filter((file) => file.endsWith('.db'));
    change(inFolder(`place/${name}`), sql);
    describeAgain(inFolder(`place/${name}`));
    await expectRefused(found, 'restore', `place/${name}`, '--force');
    const { status, stderr } = await runCli(['backups', 'rehearse', inFolder('place/'), '--latest']);
    expect([status, stderr]).toEqual([1, expect.stringContaining(found)]);
    change(at.store, sql);
    await expectRefused(found, 'keys', 'revoke', '1');
    await expectRefused(found, 'export');
  });

  /** As somebody does who may write to the place. */
  function describeAgain(path: string): void {
    const manifest = path.replace(/\.db$/, '.json');
    const content = readFileSync(path);
    const sha256 = new Bun.CryptoHasher('sha256').update(content).digest('hex');
    const described = JSON.parse(readFileSync(manifest, 'utf8')) as object;
    writeFileSync(manifest, JSON.stringify({ ...described, sha256, bytes: content.length }));
  }
});

describe('a store with tables and indexes of other programs', () => {
  it('is used like any other', async () => {
    change(at.store, "CREATE INDEX by_name ON pets (json ->> 'name'); ANALYZE");
    // As Litestream does.
    change(at.store, 'CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)');
    change(at.store, 'CREATE TABLE _litestream_lock (id INTEGER)');
    expect(await run('doctor')).toMatchObject({ status: 0 });
    expect(await run('backup', 'b.db')).toMatchObject({ status: 0 });
    expect(await run('restore', 'b.db', '--force')).toMatchObject({ status: 0 });
    await using service = await startService({ databaseUrl: at.store });
    await addPet(service.call);
    expect(idsOf((await run('export')).stdout)).toHaveLength(4);
  });
});

describe('a revocation', () => {
  it('fails if the store does not show it', async () => {
    const store = openSqliteStore({ path: at.store });
    try {
      using database = new Database(at.store);
      database.run(undoRevocations);
      const revoked = await Promise.allSettled([store.keys.revokeKey('1', new Date())]);
      expect(revoked).toMatchObject([{ status: 'rejected' }]);
    } finally {
      await store.close();
    }
  });
});
