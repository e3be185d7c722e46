import { Database } from 'bun:sqlite';
import { describe, expect, it } from 'bun:test';
import { issueKey } from '../../src/domain/api-key.ts';
import { readPragma } from '../../src/sqlite/migrate.ts';
import { failureOf } from '../support/failure.ts';
import { runCli } from '../support/process/process.ts';
import { releaseStores, type ReleaseStore } from '../support/release-stores.ts';

const raiseVersion = {
  SQLite: 'PRAGMA user_version = 99',
  PostgreSQL: 'UPDATE petstore_schema SET version = 99',
};

describe.each(['SQLite after a kill', 'PostgreSQL'])('going back on %s', (name) => {
  it('gives 1.1.0 its schema, with what was written since', async () => {
    await using store = await releaseStores[name]!('1.1.0');
    const before = await store.schema();
    const created = await useAndClose(store);
    expect(await store.schema()).not.toEqual(before);

    const back = ['migrate', '--to', '5', '--database-url', store.databaseUrl];
    expect(await runCli(back)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('has version 5.'),
    });
    expect(await store.schema()).toEqual(before);

    const forward = await store.open();
    const { json } = await forward.pets.listPets({ limit: 100 });
    expect(json).toBe(`${store.expected.pets.slice(0, -1)},${created}]`);
    expect((await forward.orders.listOrders({ limit: 100 })).json).toBe(store.expected.orders);
    expect((await forward.keys.listKeys()).at(-1)).toMatchObject({ name: 'since', isReadOnly: true });
    await forward.close();
  });

  it('is what a release that is too old advises', async () => {
    await using store = await releaseStores[name]!('1.0.0');
    await store.run(raiseVersion[store.kind]);
    expect(await failureOf(store.open())).toMatchObject({
      message: expect.stringMatching(
        /has schema version 99, and petstore \S+ knows versions up to 6\. Start the release that last used it, or a newer one\. To stay .* restore the backup .* petstore migrate --to 6\.$/,
      ),
    });
  });
});

describe('petstore migrate --to', () => {
  it('leads to no other version', async () => {
    const back = ['migrate', '--to', '4', '--database-url', 'pets.db'];
    expect(await runCli(back)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('Allowed choices are 5.'),
    });
  });
});

describe('the copy that a migration makes', () => {
  it('can be restored, and keys that were revoked since stay revoked', async () => {
    await using store = await releaseStores['SQLite after a stop']!('1.0.0');
    const migrated = await store.open();
    await migrated.keys.revokeKey('1', new Date());
    await migrated.close();
    const at = ['--database-url', store.databaseUrl];
    expect(await runCli(['restore', `${store.databaseUrl}.schema-4`, '--force', ...at])).toMatchObject({
      status: 0,
    });
    using database = new Database(store.databaseUrl, { readonly: true });
    expect(readPragma(database, 'user_version')).toBe(4);
    expect(database.query('SELECT count(revoked_at) AS revoked FROM api_keys').get()).toEqual({ revoked: 2 });
  });
});

/** Adds a pet and a read-only key; returns the pet. */
async function useAndClose(store: ReleaseStore): Promise<string> {
  const opened = await store.open();
  const { json } = await opened.pets.createPet({ name: 'Since', categoryId: 1n });
  await issueKey(opened.keys, { name: 'since', now: new Date(), isReadOnly: true });
  await opened.close();
  return json;
}
