import { Database } from 'bun:sqlite';
import { describe, expect, it } from 'bun:test';
import { version as release } from '../../package.json';
import { restoreBackup } from '../../src/stores/backups/backups.ts';
import { openPlace } from '../../src/stores/backups/places.ts';
import { storeAt } from '../../src/stores/open.ts';
import { copySqlite } from '../../src/stores/sqlite/maintenance/backup.ts';
import { openSqliteStore } from '../../src/stores/sqlite/open.ts';
import { noReport } from '../../src/system/progress.ts';
import { createPet } from '../support/changes.ts';
import { failureOf } from '../support/failure.ts';
import { fillFile } from '../support/fill-file.ts';
import { silentLog } from '../support/http/service.ts';
import { readPets } from '../support/journal.ts';
import { makeDatabase } from '../support/postgres/server.ts';
import { useStoreFolder } from '../support/process/store-folder.ts';

const at = useStoreFolder();

/** A start, a check, and a copy from and to a store. Other commands begin with one of them. */
const uses: ((databaseUrl: string) => Promise<unknown>)[] = [
  (url) => storeAt(url).open({}),
  (url) => storeAt(url).check({ log: silentLog, report: noReport }),
  (url) => storeAt(url).openTables({ mayCreate: false }),
  (url) => storeAt(url).openTables({ mayCreate: true }),
];

interface Other {
  title: string;
  sqlite: string;
  /** Absent for what a start on PostgreSQL only warns of. */
  postgres?: string;
  /** How the store is refused. */
  reason: (store: string) => string;
}

const withoutTable = 'DROP TABLE event_log';

/** What makes a store of this release another one, or makes it run what somebody put into it. */
const others: Other[] = [
  {
    title: 'of schema version -1',
    sqlite: 'PRAGMA user_version = -1',
    postgres: 'UPDATE petstore_schema SET version = -1',
    reason: (store) =>
      `${store} has schema version -1, of an unpublished build; petstore ${release} knows version 9. Use the build that ` +
      'made it, or choose another store.',
  },
  {
    title: 'of schema version 10',
    sqlite: 'PRAGMA user_version = 10',
    postgres: 'UPDATE petstore_schema SET version = 10',
    reason: (store) =>
      `${store} has schema version 10; petstore ${release} knows version 9. Use a newer release.`,
  },
  {
    title: 'without a table',
    sqlite: withoutTable,
    postgres: `UPDATE petstore_schema SET version = 9; ${withoutTable}`,
    reason: reasonOfMissing('event_log'),
  },
  {
    title: 'with another column',
    sqlite: 'ALTER TABLE orders ADD COLUMN note text',
    postgres: 'ALTER TABLE orders ADD COLUMN note text',
    reason: (store) =>
      `The table orders of ${store} is not that of schema version 9. It differs in note text.`,
  },
  {
    // SQLite ignores the case of names.
    title: 'with a trigger that revives revoked keys',
    sqlite: `CREATE TRIGGER revive AFTER UPDATE ON API_KEYS BEGIN
      UPDATE api_keys SET revoked_at = NULL WHERE id = new.id; END`,
    reason: (store) => `${store} has a trigger on the table api_keys: revive.`,
  },
  {
    title: 'with an endless view in the place of a table',
    sqlite: `DROP TABLE categories; CREATE VIEW categories AS
      WITH RECURSIVE endless (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM endless) SELECT id, '' AS json FROM endless`,
    reason: reasonOfMissing('categories'),
  },
  {
    title: 'with a column that is computed',
    sqlite: 'DROP TABLE event_log; CREATE TABLE event_log (id INTEGER, epoch TEXT AS (hex(id)))',
    reason: (store) => `The table event_log of ${store} is not that of schema version 9.`,
  },
];

function reasonOfMissing(table: string) {
  return (store: string) => `There is no table ${table} in ${store}, which claims schema version 9.`;
}

const refusal = (reason: Other['reason'], store: string) => new RegExp(RegExp.escape(reason(store)), 'i');

describe.each(others)('a store $title', ({ sqlite, reason }) => {
  it('is refused by a start, a check and a copy, and left as it is', async () => {
    await makeOther(at.store, sqlite);
    for (const use of uses) await at.expectRefused(refusal(reason, at.store), () => use(at.store));
  });
});

describe('a database with another schema', () => {
  it('is refused by a start, a check and a copy', async () => {
    await using database = await makeDatabase();
    const address = database.address();
    await (await storeAt(address).open({})).close();
    // Each change comes on top of those before it.
    for (const { postgres, reason } of others) {
      if (postgres === undefined) continue;
      await database.run(postgres);
      for (const use of uses)
        expect(String(await failureOf(use(address)))).toMatch(refusal(reason, 'The database'));
    }
  });
});

describe('a store without a table', () => {
  it('is refused as a backup, and by backup and restore', async () => {
    const [sound, made] = [at.inFolder('sound.db'), at.inFolder('new.db')];
    await fillFile(sound, 3);
    await makeOther(at.store, withoutTable);
    const reason = refusal(reasonOfMissing('event_log'), at.store);
    const restore = (name: string, store: string, isForced: boolean) =>
      restoreBackup({ place: openPlace(at.path, {}), name, store, isForced, report: noReport });
    await at.expectRefused(reason, () => copySqlite(at.store, made, noReport));
    await at.expectRefused(reason, () => restore('sound.db', at.store, false));
    expect(String(await failureOf(restore('petstore.db', sound, true)))).toContain(
      'There is no table event_log in petstore.db',
    );
  });
});

describe('a store with tables and indexes of other programs', () => {
  it('is used like any other', async () => {
    await makeOther(at.store, "CREATE INDEX by_name ON pets (json ->> 'name'); ANALYZE");
    // As Litestream does.
    await makeOther(at.store, 'CREATE TABLE _litestream_lock (id INTEGER)');
    await storeAt(at.store).check({ log: silentLog, report: noReport });
    await copySqlite(at.store, at.inFolder('b.db'), noReport);
    const place = openPlace(at.path, {});
    await restoreBackup({ place, name: 'b.db', store: at.store, isForced: true, report: noReport });
    const store = openSqliteStore({ path: at.store });
    await store.pets.apply(createPet({ name: 'Rex', categoryId: 1n }));
    await store.close();
    expect(readPets(at.store)).toHaveLength(7);
  });
});

async function makeOther(path: string, statements: string): Promise<void> {
  await fillFile(path, 3);
  using database = new Database(path);
  database.run(statements);
}
