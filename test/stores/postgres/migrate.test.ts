import { describe, expect, it } from 'bun:test';
import { Client } from 'pg';
import type { Store } from '../../../src/stores/store.ts';
import { openPostgresStore } from '../../../src/stores/postgres/open.ts';
import { failureOf } from '../../support/failure.ts';
import { idsOf } from '../../support/http/calls.ts';
import { releaseStores } from '../../support/release-stores.ts';
import { makeDatabase } from '../../support/postgres/server.ts';
import { createPet } from '../../support/changes.ts';

describe('a database in which another program has a table of orders', () => {
  it('is refused, and left as it is', async () => {
    await using database = await makeDatabase();
    await database.run('CREATE TABLE orders (id text)');
    expect(await failureOf(openPostgresStore({ address: database.address() }))).toMatchObject({
      message: expect.stringContaining('The database holds tables of another program'),
    });
    expect(await database.run(`SELECT tablename::text FROM pg_tables WHERE schemaname = 'public'`)).toEqual([
      { tablename: 'orders' },
    ]);
  });
});

const found = async ({ pets }: Store, ...words: string[]) =>
  idsOf((await pets.searchPets({ limit: 100, words })).json).map(Number);

describe('names that a replica of 1.1.0 writes', () => {
  it('are folded by the next start, in batches, by several replicas that start together', async () => {
    await using database = await makeDatabase();
    const address = database.address();
    await (await openPostgresStore({ address })).close();
    await database.run(
      `INSERT INTO pets (id, name, category_id) SELECT nextval('pet_ids'), 'Łucja', 1 FROM generate_series(1, 2500)`,
    );
    const stores = await Promise.all([1, 2, 3].map(() => openPostgresStore({ address })));
    expect(await database.run('SELECT id FROM pets WHERE folded_name IS NULL')).toEqual([]);
    expect(await found(stores[0]!, 'lucja')).toHaveLength(100);
    await Promise.all(stores.map((store) => store.close()));
  });

  it('stay as they are until the next start if somebody else holds the pet', async () => {
    await using database = await makeDatabase();
    const address = database.address();
    await (await openPostgresStore({ address })).close();
    await database.run("INSERT INTO pets (id, name, category_id) VALUES (1, 'Łucja', 1), (2, 'Zoë', 1)");
    const holder = new Client(address);
    await holder.connect();
    await holder.query('BEGIN; SELECT FROM pets WHERE id = 1 FOR UPDATE');
    const beside = await openPostgresStore({ address });
    expect(await found(beside, 'zoe')).toEqual([2]);
    await beside.close();
    await holder.end();
    const next = await openPostgresStore({ address });
    expect(await found(next, 'lucja')).toEqual([1]);
    await next.close();
  });

  it('are also found by a trigram index', async () => {
    await using database = await makeDatabase();
    const store = await openPostgresStore({ address: database.address() });
    const { id } = await store.pets.apply(createPet({ name: 'Łucja', categoryId: 1n }));
    await database.run(
      `CREATE EXTENSION pg_trgm; CREATE INDEX pets_by_trigram ON pets USING gin (folded_name gin_trgm_ops)`,
    );
    await database.run(
      `INSERT INTO pets (id, name, category_id, folded_name)
       SELECT nextval('pet_ids'), md5(n::text), 1, md5(n::text) FROM generate_series(1, 20000) AS n`,
    );
    await database.run('VACUUM ANALYZE pets');
    expect(await found(store, 'lucja')).toEqual([Number(id)]);
    await store.close();
    const used = `SELECT FROM pg_stat_user_indexes WHERE indexrelname = 'pets_by_trigram' AND idx_scan > 0`;
    // A session reports what it did when its process ends.
    while ((await database.run(used)).length === 0) await Bun.sleep(20);
  });
});

describe('the indexes of an upgrade', () => {
  const invalid = 'SELECT FROM pg_index WHERE NOT indisvalid';

  it('are built beside replicas that start together, and again if a build was interrupted', async () => {
    await using release = await releaseStores['PostgreSQL']!('1.1.0');
    const stores = await Promise.all([1, 2, 3].map(() => release.open()));
    await Promise.all(stores.map((store) => store.close()));
    // As a build that was killed leaves it.
    await release.run("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'orders_by_pet'::regclass");
    await (await release.open()).close();
    const schema = await release.schema();
    for (const name of ['orders_by_pet', 'orders_by_time', 'pets_unfolded'])
      expect(schema).toContainEqual(expect.objectContaining({ relname: name }));
    await release.run(
      `DO $$ BEGIN IF EXISTS (${invalid}) THEN RAISE 'an index is not valid'; END IF; END $$`,
    );
  });
});
