import { afterAll, describe, expect, it } from 'bun:test';
import { openPostgresStore } from '../../../src/stores/postgres/open.ts';
import { makeDatabase } from '../../support/postgres/server.ts';
import { createPet, deletePet } from '../../support/changes.ts';

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
    expect(await database.run("SELECT id FROM pets WHERE folded_name LIKE 'round %'")).toEqual([]);
    await Promise.all(replicas.map((replica) => replica.close()));
  });
});
