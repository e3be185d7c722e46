import { afterAll, describe, expect, it } from 'bun:test';
import { Client } from 'pg';
import { openPostgresImport } from '../../../src/stores/postgres/maintenance/bulk.ts';
import { openPostgresStore } from '../../../src/stores/postgres/open.ts';
import { makeDatabase } from '../../support/postgres/server.ts';
import { createPet, deletePet } from '../../support/changes.ts';

const rex = { name: 'Rex', categoryId: 1n };
const database = await makeDatabase();
const store = await openPostgresStore({ address: database.address() });
afterAll(async () => {
  await store.close();
  await database[Symbol.asyncDispose]();
});

describe('an idempotency key whose pet was deleted', () => {
  it('replays the first response on every replica, before, during and after the delete', async () => {
    const replicas = await Promise.all(
      [1, 2, 3].map(() => openPostgresStore({ address: database.address() })),
    );
    for (let round = 0; round < 6; round++) {
      const pet = { name: `round ${round}`, categoryId: 1n };
      const idempotency = { caller: 'shop', key: pet.name };
      const first = await store.pets.apply(createPet(pet, idempotency));
      const repeatEverywhere = () => replicas.map(({ pets }) => pets.apply(createPet(pet, idempotency)));
      const deleting = store.pets.apply(deletePet(first.id));
      const responses = await Promise.all([...repeatEverywhere(), ...repeatEverywhere()]);
      await deleting;
      responses.push(...(await Promise.all(repeatEverywhere())));
      for (const response of responses) expect(response).toEqual({ ...first, isNew: false });
    }
    expect(await database.run("SELECT id FROM pets WHERE name LIKE 'round %'")).toEqual([]);
    await Promise.all(replicas.map((replica) => replica.close()));
  });
});

describe('imported ids', () => {
  it('are skipped by a create that draws them', async () => {
    const { id } = await store.pets.apply(createPet(rex));
    await database.run(
      `INSERT INTO pets (id, name, category_id) SELECT n, 'kept', 1 FROM generate_series(${id + 1n}, ${id + 3n}) AS n`,
    );
    const created = await store.pets.apply(createPet(rex, { caller: 'shop', key: 'passes over' }));
    expect(created).toMatchObject({ id: id + 4n, isNew: true });
    expect((await store.pets.apply(createPet(rex))).id).toBe(id + 5n);
  });

  it('never move the sequence back behind ids that are drawn during an import', async () => {
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
      for (let round = 1n; round <= 8n; round++) {
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

  it.each([[7n], [2n ** 63n - 2n]])(
    'leave the sequence right behind the largest of them: %p',
    async (largest) => {
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
    },
  );
});
