import { describe, expect, it } from 'bun:test';
import { openPostgresStore, type PostgresStore } from '../../src/postgres/open.ts';
import { idsOf } from '../support/http/calls.ts';
import { makeDatabase } from '../support/postgres/server.ts';

const found = async ({ pets }: PostgresStore, ...words: string[]) =>
  idsOf((await pets.searchPets({ limit: 100, words })).json).map(Number);

/** Waits until a word leads to these pets. */
async function untilFound(store: PostgresStore, word: string, ids: number[]): Promise<void> {
  while ((await found(store, word)).join() !== ids.join()) await Bun.sleep(20);
}

describe('names that a replica of 1.1.0 writes', () => {
  it('are found at once by lower case, and folded by the next start', async () => {
    await using database = await makeDatabase();
    const address = database.address();
    const store = await openPostgresStore({ address });
    await database.run(
      `INSERT INTO pets (id, name, category_id) SELECT nextval('pet_ids'), name, 1 FROM unnest(ARRAY['Łucja', 'Rex']) AS name`,
    );
    expect(await found(store, 'ucja')).toEqual([1]);
    expect(await found(store, 'rex')).toEqual([2]);
    const next = await openPostgresStore({ address });
    await untilFound(next, 'lucja', [1]);
    await next.close();

    // It leaves the folded name alone.
    await database.run(`UPDATE pets SET name = 'Żółw', category_id = 1, status = NULL WHERE id = 1`);
    expect(await found(store, 'lucja')).toEqual([]);
    const another = await openPostgresStore({ address });
    await untilFound(another, 'zolw', [1]);
    await another.close();
    await store.close();
  });

  it('are folded in batches, by several replicas that start together', async () => {
    await using database = await makeDatabase();
    const address = database.address();
    await (await openPostgresStore({ address })).close();
    await database.run(
      `INSERT INTO pets (id, name, category_id) SELECT nextval('pet_ids'), 'Łucja', 1 FROM generate_series(1, 2500)`,
    );
    const stores = await Promise.all([1, 2, 3].map(() => openPostgresStore({ address })));
    const left = async () =>
      (await database.run('SELECT count(*)::integer AS count FROM pets WHERE folded_name IS NULL'))[0]?.[
        'count'
      ];
    while ((await left()) !== 0) await Bun.sleep(50);
    expect(await found(stores[0]!, 'lucja')).toHaveLength(100);
    await Promise.all(stores.map((store) => store.close()));
  });

  it('are found by an index on trigrams, too', async () => {
    await using database = await makeDatabase();
    const store = await openPostgresStore({ address: database.address() });
    const { id } = await store.pets.createPet({ name: 'Łucja', categoryId: 1n });
    await database.run(
      `CREATE EXTENSION pg_trgm; CREATE INDEX pets_by_trigram ON pets USING gin (folded_name gin_trgm_ops)`,
    );
    await database.run(
      `INSERT INTO pets (id, name, category_id, folded_name)
       SELECT nextval('pet_ids'), md5(n::text), 1, md5(n::text) FROM generate_series(1, 20000) AS n; ANALYZE pets`,
    );
    expect(await found(store, 'lucja')).toEqual([Number(id)]);
    await store.close();
    const [used] = await database.run(
      `SELECT idx_scan::integer AS scans FROM pg_stat_user_indexes WHERE indexrelname = 'pets_by_trigram'`,
    );
    expect(Number(used?.['scans'])).toBeGreaterThan(0);
  });
});
