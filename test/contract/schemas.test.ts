import { afterAll, describe, expect, it } from 'bun:test';
import { addPet, addPets, errorOf, idsOf, outcomeOf, post, rex } from '../support/http/calls.ts';
import { openService } from '../support/http/service.ts';

/** The schemas of `openapi.yaml`, field by field. */

const service = await openService();
const { call } = service;
afterAll(() => service.close());

const create = (pet: unknown) => call('/v1/pets', post(pet));
const createAndRead = async (pet: unknown) => (await (await create(pet)).json()) as Record<string, unknown>;

describe('PetStatus', () => {
  for (const status of ['available', 'pending', 'sold']) {
    it(`accepts ${status}`, async () => {
      expect(await createAndRead({ ...rex, status })).toMatchObject({ status });
    });
  }

  it('accepts nothing else', async () => {
    for (const status of ['', 'Available', 'available ', 'adopted', 1, true, [], {}]) {
      expect(await outcomeOf(create({ ...rex, status }))).toBe('400 invalid_pet');
    }
  });
});

describe('NewPet', () => {
  it('requires name, a string', async () => {
    expect(await createAndRead({ ...rex, name: 'Tom' })).toMatchObject({ name: 'Tom' });
    expect(await outcomeOf(create({ categoryId: 1 }))).toBe('400 invalid_pet');
    for (const name of [7, true, ['Tom'], { name: 'Tom' }]) {
      expect(await outcomeOf(create({ ...rex, name }))).toBe('400 invalid_pet');
    }
  });

  it('requires categoryId, an int64', async () => {
    expect(await createAndRead({ ...rex, categoryId: -12 })).toMatchObject({ categoryId: -12 });
    expect(await outcomeOf(create({ name: 'Rex' }))).toBe('400 invalid_pet');
    for (const categoryId of ['1', 1.5, true, [1], {}]) {
      expect(await outcomeOf(create({ ...rex, categoryId }))).toBe('400 invalid_pet');
    }
  });

  it('gives an absent status no default', async () => {
    expect(await createAndRead(rex)).not.toHaveProperty('status');
  });
});

describe('Pet', () => {
  it('has all fields of NewPet', async () => {
    expect(await createAndRead({ name: 'Tom', categoryId: 3, status: 'sold' })).toMatchObject({
      name: 'Tom',
      categoryId: 3,
      status: 'sold',
    });
  });

  it('gets a unique int64 id from the service', async () => {
    const ids = await addPets(call, 20);
    expect(new Set(ids).size).toBe(20);
    for (const id of ids) expect(id).toMatch(/^[1-9]\d*$/);
  });

  it('always has name, categoryId and id', async () => {
    const id = await addPet(call);
    for (const path of [`/v1/pets/${id}`, '/v1/pets']) {
      const body: unknown = await (await call(path)).json();
      for (const pet of [body].flat()) {
        expect(pet).toMatchObject({
          id: expect.any(Number),
          name: expect.any(String),
          categoryId: expect.any(Number),
        });
      }
    }
  });
});

describe('Pets', () => {
  it('is a JSON array of Pet objects', async () => {
    const id = await addPet(call);
    const pets = (await (await call('/v1/pets?limit=100')).json()) as unknown[];
    expect(Array.isArray(pets)).toBe(true);
    expect(pets).toContainEqual({ id: Number(id), ...rex });
  });
});

describe('Error', () => {
  const rows: [string, () => Promise<Response>][] = [
    ['400', () => create({})],
    ['401', () => service.callAs(null, '/v1/pets')],
    ['404', () => call('/v1/pets/0')],
  ];
  for (const [status, ask] of rows) {
    it(`has a code, a message and the status of the response: ${status}`, async () => {
      const response = await ask();
      expect(response.status).toBe(Number(status));
      const error = await errorOf(response);
      expect(error.code).toMatch(/^[a-z_]+$/);
      expect(error.message).toMatch(/^.+[.>"]$/);
      expect(error.status).toBe(response.status);
    });
  }
});

describe('status', () => {
  it('may be given with a new pet', async () => {
    const id = await addPet(call, { ...rex, status: 'pending' });
    expect(await (await call(`/v1/pets/${id}`)).json()).toMatchObject({ status: 'pending' });
  });

  it('filters the list by equality', async () => {
    await using own = await openService();
    const ids: Record<string, string[]> = {};
    for (const status of ['available', 'pending', 'sold', 'pending', undefined]) {
      (ids[String(status)] ??= []).push(await addPet(own.call, { ...rex, status }));
    }
    for (const status of ['available', 'pending', 'sold']) {
      const text = await (await own.call(`/v1/pets?status=${status}`)).text();
      expect(idsOf(text)).toEqual(ids[status] ?? []);
    }
    expect(idsOf(await (await own.call('/v1/pets')).text())).toHaveLength(5);
  });
});
