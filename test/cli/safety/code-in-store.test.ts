import { Database } from 'bun:sqlite';
import { beforeEach, describe, it } from 'bun:test';
import { fillFile } from '../../support/fill-file.ts';
import { useStoreFolder } from '../../support/process/store-folder.ts';

const at = useStoreFolder();

/** Ways in which a store would run what somebody put into it. SQLite ignores the case of names. */
const planted: [what: string, statements: string, refusal: (store: string) => string][] = [
  [
    'a trigger that revives revoked keys',
    `CREATE TRIGGER revive AFTER UPDATE ON API_KEYS BEGIN
       UPDATE api_keys SET revoked_at = NULL WHERE id = new.id; END`,
    (store) => `${store} has a trigger on the table api_keys: revive.`,
  ],
  [
    'an endless view in the place of a table',
    `DROP TABLE categories; CREATE VIEW categories AS
       WITH RECURSIVE endless (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM endless) SELECT id, '' AS json FROM endless`,
    (store) => `There is no table categories in ${store}, which claims schema version 9.`,
  ],
  [
    'a column that is computed',
    `DROP TABLE event_log; CREATE TABLE event_log (id INTEGER, epoch TEXT AS (hex(id)))`,
    (store) => `The table event_log of ${store} is not that of schema version 9.`,
  ],
];

describe.each(planted)('%s', (_what, statements, refusal) => {
  beforeEach(async () => {
    for (const path of [at.store, at.inFolder('backup.db')]) await fillFile(path, 3);
  });

  function plant(path: string): string {
    using database = new Database(path);
    database.run(statements);
    return refusal(path);
  }

  it.each(['serve', 'check', 'keys list', 'backup out.db', 'restore backup.db'])(
    'is refused in a store by petstore %s',
    async (command) => {
      await at.expectRefused(plant(at.store), ...command.split(' '));
    },
  );

  it('is refused in a backup', async () => {
    const backup = at.inFolder('backup.db');
    await at.expectRefused(plant(backup), 'restore', backup, '--force');
  });
});
