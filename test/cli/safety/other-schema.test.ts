import { Database } from 'bun:sqlite';
import { beforeEach, describe, expect, it } from 'bun:test';
import { version as release } from '../../../package.json';
import { openPostgresStore } from '../../../src/stores/postgres/open.ts';
import { fillFile } from '../../support/fill-file.ts';
import { makeDatabase } from '../../support/postgres/server.ts';
import { runCli } from '../../support/process/process.ts';
import { useStoreFolder } from '../../support/process/store-folder.ts';

const at = useStoreFolder();

const commands = ['serve --port 0', 'migrate', 'check --port 0', 'keys list', 'keys create --name till'];

/** What makes a store of this release another one, by statements for each engine, and how it is refused. */
const others: [
  title: string,
  change: Record<'sqlite' | 'postgres', string>,
  reason: (store: string) => string,
][] = [
  [
    'of schema version -1',
    versionIs(-1),
    (store) =>
      `${store} has schema version -1, of an unpublished build; petstore ${release} knows version 9. Use the build that ` +
      'made it, or choose another store.',
  ],
  [
    'of schema version 10',
    versionIs(10),
    (store) => `${store} has schema version 10; petstore ${release} knows version 9. Use a newer release.`,
  ],
  [
    'with another column',
    onBoth('ALTER TABLE orders ADD COLUMN note text'),
    (store) => `The table orders of ${store} is not that of schema version 9. It differs in note text.`,
  ],
  [
    'without a table',
    onBoth('DROP TABLE event_log'),
    (store) => `There is no table event_log in ${store}, which claims schema version 9.`,
  ],
];

function versionIs(version: number) {
  return {
    sqlite: `PRAGMA user_version = ${version}`,
    postgres: `UPDATE petstore_schema SET version = ${version}`,
  };
}

function onBoth(statement: string) {
  return { sqlite: statement, postgres: statement };
}

describe.each(others)('a store %s', (_title, change, reason) => {
  const refusal = (store: string) =>
    new RegExp(RegExp.escape(reason(store)).replaceAll(String.raw`\x20`, String.raw`\s+`), 'i');

  async function makeOther(path: string): Promise<void> {
    await fillFile(path, 3);
    using database = new Database(path);
    database.run(change.sqlite);
  }

  describe('in a file', () => {
    beforeEach(async () => {
      await fillFile(at.inFolder('sound.db'), 3);
      await makeOther(at.store);
    });

    it.each([...commands, 'backup out.db', 'restore sound.db'])(
      'is refused by petstore %s, and left as it is',
      async (command) => {
        await at.expectRefused(refusal(at.store), ...command.split(' '));
      },
    );

    it('is refused as a source and as a target of a copy', async () => {
      const sound = at.inFolder('sound.db');
      for (const [from, to] of [
        [at.store, at.inFolder('new.db')],
        [sound, at.store],
      ] as const) {
        const { status, stderr } = await runCli(['copy', '--from', from, '--to', to]);
        expect([status, stderr]).toEqual([1, expect.stringMatching(refusal(at.store))]);
      }
    });

    it('is refused as a backup', async () => {
      const { status, stderr } = await runCli([
        ...['restore', at.store, '--force'],
        ...['--database-url', at.inFolder('sound.db')],
      ]);
      expect([status, stderr]).toEqual([1, expect.stringMatching(refusal(at.store))]);
    });
  });

  it('is refused by every command on PostgreSQL', async () => {
    await using database = await makeDatabase();
    const address = database.address();
    await (await openPostgresStore({ address })).close();
    await database.run(change.postgres);
    await fillFile(at.store, 3);
    const copies = [`copy --from ${address} --to new.db`, `copy --from petstore.db --to ${address}`];
    for (const command of [...commands, ...copies]) {
      const { status, stdout, stderr } = await runCli(command.split(' '), {
        cwd: at.path,
        env: { API_KEYS: 'k', DATABASE_URL: address },
      });
      expect([command, status, `${stdout}${stderr}`]).toEqual([
        command,
        1,
        expect.stringMatching(refusal('The database')),
      ]);
    }
  });
});
