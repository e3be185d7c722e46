import { afterAll, describe, expect, it } from 'bun:test';
import { Client } from 'pg';
import { openPostgresImport } from '../../src/postgres/tools/import.ts';
import { openPostgresStore } from '../../src/postgres/open.ts';
import { failureOf } from '../support/failure.ts';
import { makeDatabase } from '../support/postgres/server.ts';

const rex = { name: 'Rex', categoryId: 1n };
const database = await makeDatabase();
const store = await openPostgresStore({ address: database.address() });
afterAll(async () => {
  await store.close();
  await database[Symbol.asyncDispose]();
});

describe('an idempotency key whose pet was deleted', () => {
  it('gives the key of a deleted pet to a new pet, whatever that looks like', async () => {
    const idempotency = { caller: 'shop', key: 'gone' };
    const { id } = await store.pets.createPet(rex, idempotency);
    await database.run(`DELETE FROM pets WHERE id = ${id}`);
    const other = { name: 'Tom', categoryId: 2n };
    const created = await store.pets.createPet(other, idempotency);
    expect(created).toMatchObject({ replayed: false, json: expect.stringContaining('"Tom"') });
    expect(await store.pets.createPet(other, idempotency)).toMatchObject({ id: created.id, replayed: true });
    expect(await failureOf(store.pets.createPet(rex, idempotency))).toMatchObject({
      code: 'idempotency_conflict',
    });
  });

  it('makes one new pet for the key of a deleted pet when several replicas are asked at once', async () => {
    const replicas = await Promise.all(
      [1, 2, 3].map(() => openPostgresStore({ address: database.address() })),
    );
    for (let round = 0; round < 20; round++) {
      const idempotency = { caller: 'shop', key: `round ${round}` };
      const { id } = await store.pets.createPet(rex, idempotency);
      await database.run(`DELETE FROM pets WHERE id = ${id}`);
      const answers = await Promise.all(replicas.map(({ pets }) => pets.createPet(rex, idempotency)));
      expect(new Set(answers.map((answer) => answer.id)).size).toBe(1);
      expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
    }
    await Promise.all(replicas.map((replica) => replica.close()));
  });
});

describe('a repeated create that fails', () => {
  it('keeps the pets that were created in the same batch as a failed repetition', async () => {
    await using own = await makeDatabase();
    await (await openPostgresStore({ address: own.address() })).close();
    // A role that may add pets but not read them cannot look up an earlier one.
    await own.run(`
      DROP ROLE IF EXISTS blind;
      CREATE ROLE blind LOGIN PASSWORD 'blind';
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO blind;
      REVOKE SELECT ON pets FROM blind;
      GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO blind`);
    const blind = await openPostgresStore({ address: own.address().replace(/\/\/[^@]+@/, '//blind:blind@') });
    const idempotency = { caller: 'shop', key: 'held' };
    await blind.pets.createPet(rex, idempotency);
    // The first goes alone; the other two gather meanwhile and go together.
    const [, repeated, beside] = await Promise.allSettled([
      blind.pets.createPet(rex),
      blind.pets.createPet(rex, idempotency),
      blind.pets.createPet(rex),
    ]);
    expect(repeated).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } });
    expect(beside).toMatchObject({ status: 'fulfilled' });
    await blind.close();
  });
});

describe('imported ids', () => {
  it('skips imported ids when a create draws them', async () => {
    const { id } = await store.pets.createPet(rex);
    await database.run(
      `INSERT INTO pets (id, name, category_id) SELECT n, 'kept', 1 FROM generate_series(${id + 1n}, ${id + 3n}) AS n`,
    );
    const created = await store.pets.createPet(rex, { caller: 'shop', key: 'passes over' });
    expect(created).toMatchObject({ id: id + 4n, replayed: false });
    expect((await store.pets.createPet(rex)).id).toBe(id + 5n);
  });

  it('never moves the sequence back behind ids that are drawn during an import', async () => {
    await using own = await makeDatabase();
    const adding = await openPostgresImport({ address: own.address() });
    const drawing = new Client(own.address());
    await drawing.connect();
    try {
      await own.run("SELECT setval('pet_ids', 1000000)");
      const drawn: string[] = [];
      const addThree = async (id: bigint): Promise<void> => {
        for (const step of [1n, 2n, 3n]) await adding.addPets([{ ...rex, id: id + step }]);
      };
      for (let round = 1n; round <= 20n; round++) {
        const [{ rows }] = await Promise.all([
          drawing.query<{ id: string }>("SELECT nextval('pet_ids') AS id FROM generate_series(1, 20000)"),
          addThree(10n * round),
        ]);
        drawn.push(...rows.map(({ id }) => id));
      }
      expect(new Set(drawn).size).toBe(drawn.length);
    } finally {
      await drawing.end();
      await adding.close();
    }
  });

  it.each([
    ['near', 7n],
    ['far', 2n ** 53n + 1n],
    ['last', 2n ** 63n - 2n],
  ])('leaves the sequence right behind the largest imported id: %s', async (_, largest) => {
    await using own = await makeDatabase();
    const adding = await openPostgresImport({ address: own.address() });
    await adding.addPets([
      { ...rex, id: 3n },
      { ...rex, id: largest - 1n },
    ]);
    await adding.addPets([{ ...rex, id: largest }]);
    await adding.addPets([rex]);
    expect(await adding.largestId()).toBe(largest + 1n);
    await adding.close();
  });
});
