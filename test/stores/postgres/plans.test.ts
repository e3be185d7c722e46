import { afterAll, describe, expect, it } from 'bun:test';
import { sorts, type Store } from '../../../src/stores/store.ts';
import { parseAddress } from '../../../src/stores/postgres/address.ts';
import { openPostgresStore } from '../../../src/stores/postgres/open.ts';
import { createSql } from '../../../src/stores/postgres/sessions.ts';
import { petStatuses } from '../../../src/domain/pet.ts';
import { makeDatabase, type Database } from '../../support/postgres/server.ts';
import { createPet, deleteCategory, deletePet, putCategory, updatePet } from '../../support/changes.ts';

const place = await makeDatabase();
afterAll(() => place[Symbol.asyncDispose]());

describe('a plan', () => {
  it('is made once per statement, whatever the values are, and is never compiled', async () => {
    // One session reads, so that all plans are its own.
    const sql = createSql(parseAddress(place.address(), {}), { readerCount: 1 });
    const statement = { name: 'numbers', text: 'SELECT * FROM generate_series(1, $1::integer) AS number' };
    for (let last = 1; last <= 20; last++) {
      expect(await sql.read(statement, [last])).toHaveLength(last);
    }
    const compiled = { name: 'compiled', text: 'SHOW jit' };
    expect(await sql.read(compiled)).toEqual([{ jit: 'off' }]);
    const plans = {
      name: 'plans',
      text: 'SELECT name, generic_plans, custom_plans FROM pg_prepared_statements',
    };
    expect(await sql.read(plans)).toContainEqual({
      name: 'numbers',
      generic_plans: '20',
      custom_plans: '0',
    });
    await sql.close();
  });

  it.each([
    { tables: 'empty', before: 0, isAnalyzed: false },
    { tables: 'small', before: 30, isAnalyzed: true },
    { tables: 'large', before: 10_000, isAnalyzed: true },
  ])('finds many rows by an index with a plan made for $tables tables', async (made) => {
    await using own = await makeDatabase();
    const store = await openPostgresStore({ address: own.address() });
    // Nothing is to tell the server that a plan has become old.
    await own.run('ALTER TABLE pets SET (autovacuum_enabled = off)');
    for (const table of ['idempotency_keys', 'orders', 'categories'])
      await own.run(`ALTER TABLE ${table} SET (autovacuum_enabled = off)`);
    await fill(own, made.before);
    if (made.isAnalyzed) await own.run('ANALYZE');
    await useAll(store, 'early');
    await fill(own, 10_000 - made.before);
    await useAll(store, 'late');
    await useAll(store, 'late');
    // The sessions report what they did when they end.
    await store.close();
    const [read] = await own.run(
      `SELECT (SELECT sum(seq_tup_read) FROM pg_stat_user_tables) +
              (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes) AS rows`,
    );
    expect(Number(read?.['rows'])).toBeLessThan(1000);
  });
});

/** Many available pets and none that is sold: a plan made for any status expects as many of each. */
async function fill(database: Database, count: number): Promise<void> {
  await database.run(
    `INSERT INTO pets (id, json, status, category_id, folded_name)
     SELECT n, '{"id":' || n || ',"name":"Rex"}', 'available', 1, 'rex' FROM (SELECT nextval('pet_ids') AS n FROM generate_series(1, ${count})) AS ids`,
  );
  await database.run(
    `INSERT INTO idempotency_keys (caller, key, request_hash, pet_id, created_at)
     SELECT 'somebody', gen_random_uuid(), '', n, ${Date.now()} FROM generate_series(1, ${count}) AS n`,
  );
  await database.run(
    `INSERT INTO orders (id, json, pet_id, status, created_at)
     SELECT nextval('order_ids'), '{"id":' || n || ',"petId":1}', n, 'sold', 0 FROM generate_series(1, ${count}) AS n`,
  );
  await database.run(
    `INSERT INTO categories (id, json) SELECT last.id + n, '{"id":' || last.id + n || ',"name":"Cats"}'
     FROM (SELECT coalesce(max(id), 0) AS id FROM categories) AS last, generate_series(1, ${count}) AS n`,
  );
}

/** Runs each statement that reads or writes pets, categories or orders, on the same sessions every time. */
async function useAll({ pets, orders }: Store, key: string): Promise<void> {
  const idempotency = { key, caller: 'somebody' };
  const created = await pets.apply(createPet({ name: 'Rex', categoryId: 1n }, idempotency));
  expect(await pets.apply(createPet({ name: 'Rex', categoryId: 1n }, idempotency))).toEqual({
    ...created,
    isNew: false,
  });
  const { id } = await pets.apply(createPet({ name: 'Rex', categoryId: 1n }));
  expect(await pets.getPet(id)).toBeDefined();
  // The first goes alone, the others together.
  await Promise.all([1n, 2n, 3n, 4n].map(async (each) => pets.getPet(each)));
  for (const sort of sorts) {
    for (const after of [{}, { after: created.id }, { after: 1n }]) {
      await pets.searchPets({ limit: 3, sort, ...after });
      await Promise.all(
        petStatuses.map(async (status) => pets.searchPets({ limit: 3, sort, status, ...after })),
      );
    }
  }

  const sold = { changes: { status: 'sold' } } as const;
  // The first goes alone, the others together.
  await Promise.all([id, created.id, id].map((each) => pets.apply(updatePet(each, sold))));
  for (const sort of sorts)
    for (const filter of [
      ...[{}, { petId: 5n }, { returned: true }, { returned: false }],
      ...[{ since: 1 }, { since: 1, returned: true }, { since: 1, until: 2 }, { petId: 5n, since: 1 }],
    ])
      for (const status of [{}, { status: 'pending' }, { status: 'sold' }] as const)
        await orders.listOrders({ limit: 3, sort, ...filter, ...status });
  for (const sort of sorts)
    for (const after of [{}, { after: 5n }, { after: 9000n }])
      await orders.listOrders({ limit: 3, sort, until: 1, ...after });
  for (const after of [{}, { after: 5000n }]) await pets.listCategories({ limit: 3, ...after });
  await Promise.all([5n, 6n, 7n].map((each) => pets.apply(putCategory(each, `Cats ${key}`))));
  await Promise.all([5n, 6n, 7n].map((each) => pets.apply(deleteCategory(each))));
  await Promise.all([pets.apply(deletePet(id)), pets.apply(deletePet(0n)).catch(() => {})]);
}
