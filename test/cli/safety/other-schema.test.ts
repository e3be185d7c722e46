import { Database } from 'bun:sqlite';
import { beforeEach, describe, expect, it } from 'bun:test';
import { version as release } from '../../../package.json';
import { openPostgresStore } from '../../../src/stores/postgres/open.ts';
import { fillFile } from '../../support/fill-file.ts';
import { addPet, idsOf } from '../../support/http/calls.ts';
import { makeDatabase } from '../../support/postgres/server.ts';
import { runCli, startService } from '../../support/process/process.ts';
import { useStoreFolder } from '../../support/process/store-folder.ts';

const at = useStoreFolder();

const commands = ['serve --port 0', 'migrate', 'check --port 0', 'keys list', 'keys create --name till'];

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
    title: 'with another column',
    sqlite: 'ALTER TABLE orders ADD COLUMN note text',
    postgres: 'ALTER TABLE orders ADD COLUMN note text',
    reason: (store) =>
      `The table orders of ${store} is not that of schema version 9. It differs in note text.`,
  },
  {
    title: 'without a table',
    sqlite: withoutTable,
    postgres: withoutTable,
    reason: reasonOfMissing('event_log'),
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

describe.each(others)('a store $title', ({ sqlite, postgres, reason }) => {
  it('is refused in a file, and left as it is', async () => {
    await makeOther(at.store, sqlite);
    await at.expectRefused(refusal(reason, at.store), 'check', '--port', '0');
  });

  it.skipIf(postgres === undefined)('is refused on PostgreSQL', async () => {
    await using database = await makeOtherDatabase(postgres!);
    const env = { API_KEYS: 'k', DATABASE_URL: database.address() };
    expect(await runCli(['check', '--port', '0'], { env })).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(refusal(reason, 'The database')),
    });
  });
});

describe('a store without a table', () => {
  const reason = reasonOfMissing('event_log');
  beforeEach(async () => {
    await fillFile(at.inFolder('sound.db'), 3);
    await makeOther(at.store, withoutTable);
  });

  it.each([...commands, 'backup out.db', 'restore sound.db'])(
    'is refused by petstore %s, and left as it is',
    async (command) => {
      await at.expectRefused(refusal(reason, at.store), ...command.split(' '));
    },
  );

  it('is refused as a source and as a target of a copy, and as a backup', async () => {
    const [sound, made] = [at.inFolder('sound.db'), at.inFolder('new.db')];
    for (const command of [
      ['copy', '--from', at.store, '--to', made],
      ['copy', '--from', sound, '--to', at.store],
      ['restore', at.store, '--force', '--database-url', sound],
    ])
      expect(await runCli(command)).toMatchObject({
        status: 1,
        stderr: expect.stringMatching(/There is no table event_log in .*petstore\.db, which claims/),
      });
  });

  it('is refused by every command on PostgreSQL', async () => {
    await using database = await makeOtherDatabase(withoutTable);
    const address = database.address();
    const copies = [`copy --from ${address} --to new.db`, `copy --from sound.db --to ${address}`];
    for (const command of [...commands, ...copies]) {
      const { status, stdout, stderr } = await runCli(command.split(' '), {
        cwd: at.path,
        env: { API_KEYS: 'k', DATABASE_URL: address },
      });
      expect([command, status, `${stdout}${stderr}`]).toEqual([
        command,
        1,
        expect.stringMatching(refusal(reason, 'The database')),
      ]);
    }
  });
});

describe('a store with tables and indexes of other programs', () => {
  it('is used like any other', async () => {
    await makeOther(at.store, "CREATE INDEX by_name ON pets (json ->> 'name'); ANALYZE");
    // As Litestream does.
    await makeOther(at.store, 'CREATE TABLE _litestream_lock (id INTEGER)');
    for (const command of ['check --port 0', 'backup b.db', 'restore b.db --force'])
      expect(await at.run(...command.split(' '))).toMatchObject({ status: 0 });
    await using service = await startService({ databaseUrl: at.store });
    await addPet(service.call);
    expect(idsOf(await (await service.call('/v1/pets')).text())).toHaveLength(7);
  });
});

async function makeOther(path: string, statements: string): Promise<void> {
  await fillFile(path, 3);
  using database = new Database(path);
  database.run(statements);
}

async function makeOtherDatabase(statement: string) {
  const database = await makeDatabase();
  await (await openPostgresStore({ address: database.address() })).close();
  await database.run(statement);
  return database;
}
