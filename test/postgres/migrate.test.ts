import { describe, expect, it } from 'bun:test';
import { issueKey } from '../../src/domain/api-key.ts';
import { inspectPostgres } from '../../src/postgres/maintenance/inspect.ts';
import { migratePostgresBack } from '../../src/postgres/migrate.ts';
import { openPostgresStore } from '../../src/postgres/open.ts';
import { failureOf } from '../support/failure.ts';
import { makeDatabase, type Database } from '../support/postgres/server.ts';

describe('a store whose schema is of version 2', () => {
  it('inspects a store of version 2 unchanged and brings it up to date at the next start', async () => {
    await using database = await makeDatabase();
    const before = await openPostgresStore({ address: database.address() });
    const { id, json } = await before.pets.createPet({ name: 'Rex', categoryId: 1n });
    await before.close();
    await migratePostgresBack(database.address(), {}, 3);
    await database.run('DROP TABLE write_probes; UPDATE petstore_schema SET version = 2');

    expect(await inspectPostgres(database.address(), {})).toMatchObject({ isNew: false, mayWrite: true });
    const after = await openPostgresStore({ address: database.address() });
    expect(await after.pets.getPet(id)).toBe(json);
    await after.pets.checkWritable();
    await after.close();
    expect(await database.run('SELECT version FROM petstore_schema')).toEqual([{ version: 6 }]);
  });
});

describe('a store of the release with orders', () => {
  it('returns to version 3, and comes back with every pet', async () => {
    await using database = await makeDatabase();
    const store = await openPostgresStore({ address: database.address() });
    const { id, json } = await store.pets.createPet({ name: 'Rex', categoryId: 1n, status: 'sold' });
    await store.pets.createPet({ name: 'Tom', categoryId: 1n });
    await store.experimental.deletePet(id + 1n);
    for (const isReadOnly of [true, false])
      await issueKey(store.keys, { name: 'k', now: new Date(), isReadOnly });
    await store.close();

    await migratePostgresBack(database.address(), {}, 3);
    expect(await relationsOf(database)).toEqual(relationsOfVersion3);
    expect(await database.run('SELECT version FROM petstore_schema')).toEqual([{ version: 3 }]);

    const again = await openPostgresStore({ address: database.address() });
    expect(await again.pets.getPet(id)).toBe(json);
    expect(await again.experimental.listOrders({ limit: 1 })).toEqual({ json: '[]' });
    // The release before would let a read-only key write.
    const [revoked, other] = await again.keys.listKeys();
    expect(revoked).toMatchObject({ id: '1', isReadOnly: false, revokedAt: expect.any(Date) });
    expect(other).not.toHaveProperty('revokedAt');
    // No pet gets the id of the one that was deleted.
    expect((await again.pets.createPet({ name: 'Kitty', categoryId: 1n })).id).toBeGreaterThan(id + 1n);
    await again.close();
  });

  it('refuses a database in which another program has a table of orders', async () => {
    await using database = await makeDatabase();
    await (await openPostgresStore({ address: database.address() })).close();
    await migratePostgresBack(database.address(), {}, 3);
    await database.run('CREATE TABLE orders (id text)');
    expect(await failureOf(openPostgresStore({ address: database.address() }))).toMatchObject({
      message: expect.stringContaining('The database holds tables of another program'),
    });
    expect(await database.run('SELECT version FROM petstore_schema')).toEqual([{ version: 3 }]);
  });
});

const relationsOfVersion3 = [
  ...['api_key_ids', 'api_keys', 'api_keys_hash_key', 'api_keys_pkey', 'idempotency_keys'],
  ...['idempotency_keys_by_age', 'idempotency_keys_pkey', 'imports', 'imports_pkey', 'key_changes'],
  ...['key_changes_pkey', 'pet_ids', 'pets', 'pets_by_status', 'pets_pkey', 'petstore_schema'],
  ...['petstore_schema_pkey', 'write_probe', 'write_probe_pkey', 'write_probes', 'write_probes_pkey'],
];

async function relationsOf(database: Database): Promise<unknown[]> {
  const rows = await database.run(
    `SELECT relname::text AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY relname COLLATE "C"`,
  );
  return rows.map(({ name }) => name);
}
