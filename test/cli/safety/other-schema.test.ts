import { Database } from 'bun:sqlite';
import { beforeEach, describe, expect, it } from 'bun:test';
import { version as release } from '../../../package.json';
import { openPostgresStore } from '../../../src/stores/postgres/open.ts';
import { fillFile } from '../../support/fill-file.ts';
import { makeDatabase } from '../../support/postgres/server.ts';
import { runCli } from '../../support/process/process.ts';
import { useStoreFolder } from '../../support/process/store-folder.ts';

const at = useStoreFolder();

const commands = ['serve --port 0', 'migrate', 'doctor --port 0', 'keys list', 'keys create --name till'];

describe.each([
  [
    8,
    `has schema version 8, of an unpublished build; petstore ${release} knows version 9. Use the build that made it, or ` +
      'choose another store.',
  ],
  [99, `has schema version 99; petstore ${release} knows version 9. Use a newer release.`],
])('a store of schema version %i', (schemaVersion, reason) => {
  const refusal = (name: string) =>
    new RegExp(`${name} ${reason}`.replaceAll('.', String.raw`\.`).replaceAll(' ', String.raw`\s+`));

  async function makeOther(path: string): Promise<void> {
    await fillFile(path, 3);
    using database = new Database(path);
    database.run(`PRAGMA user_version = ${schemaVersion}`);
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
    await database.run(`UPDATE petstore_schema SET version = ${schemaVersion}`);
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
