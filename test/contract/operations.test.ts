import { afterAll, describe, expect, it } from 'bun:test';
import { addPet, addPets, errorOf, idsOf, outcomeOf, post, rex } from '../support/http/calls.ts';
import { openapi } from '../support/contract/openapi.ts';
import { openService } from '../support/http/service.ts';

/** The operations of `openapi.yaml`: their parameters, responses, authentication and errors. */

const service = await openService();
const { call } = service;
afterAll(() => service.close());

const create = (pet: unknown) => call('/v1/pets', post(pet));

describe('listPets', () => {
  it('takes an optional limit from 1 to 100, 20 by default', async () => {
    await addPets(call, 21);
    const sizeOf = async (query: string) => idsOf(await (await call(`/v1/pets${query}`)).text()).length;
    expect([await sizeOf(''), await sizeOf('?limit=1'), await sizeOf('?limit=21')]).toEqual([20, 1, 21]);
    for (const limit of ['0', '101', 'x']) {
      expect(await outcomeOf(call(`/v1/pets?limit=${limit}`))).toBe('400 invalid_parameter');
    }
  });

  it('takes an optional status and returns only pets that have it', async () => {
    await addPet(call, { ...rex, status: 'pending' });
    await addPet(call, { ...rex, status: 'sold' });
    const pets = (await (await call('/v1/pets?status=pending')).json()) as { status: string }[];
    expect(pets.length).toBeGreaterThan(0);
    expect(new Set(pets.map(({ status }) => status))).toEqual(new Set(['pending']));
    expect(await outcomeOf(call('/v1/pets?status=lost'))).toBe('400 invalid_parameter');
  });

  it('responds with 200 and JSON', async () => {
    const response = await call('/v1/pets');
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Type')).toBe('application/json');
  });

  it('responds with an empty array if there are no pets', async () => {
    await using own = await openService();
    expect(await (await own.call('/v1/pets')).text()).toBe('[]');
    expect(await (await own.call('/v1/pets?status=sold')).text()).toBe('[]');
  });

  it('responds with 401 if the key is missing or invalid', async () => {
    expect(await outcomeOf(service.callAs(null, '/v1/pets'))).toBe('401 unauthorized');
    expect(await outcomeOf(service.callAs('Bearer nothing', '/v1/pets'))).toBe('401 invalid_api_key');
  });
});

describe('createPet', () => {
  it('responds with 201 and the pet with its assigned id', async () => {
    const response = await create({ name: 'Tom', categoryId: 3 });
    expect(response.status).toBe(201);
    expect(await response.json()).toEqual({ id: expect.any(Number), name: 'Tom', categoryId: 3 });
  });

  it('refuses a body with missing fields or invalid values', async () => {
    for (const body of [{}, { name: 'Rex' }, { categoryId: 1 }, { name: 1, categoryId: 'x', status: 'y' }]) {
      expect(await outcomeOf(create(body))).toBe('400 invalid_pet');
    }
  });

  it('refuses a request without a body', async () => {
    expect(await outcomeOf(create(''))).toBe('400 invalid_json');
  });

  it('responds with 401 if the key is missing or invalid', async () => {
    expect(await outcomeOf(service.callAs(null, '/v1/pets', post(rex)))).toBe('401 unauthorized');
    expect(await outcomeOf(service.callAs('Bearer x', '/v1/pets', post(rex)))).toBe('401 invalid_api_key');
  });
});

describe('getPet', () => {
  it('returns the pet that petId identifies', async () => {
    const [one = '', other = ''] = await addPets(call, 2);
    for (const id of [one, other]) {
      expect(idsOf(await (await call(`/v1/pets/${id}`)).text())).toEqual([id]);
    }
  });

  it('responds with 200 and the pet', async () => {
    const id = await addPet(call, { name: 'Tom', categoryId: 3, status: 'sold' });
    const response = await call(`/v1/pets/${id}`);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ id: Number(id), name: 'Tom', categoryId: 3, status: 'sold' });
  });

  it('responds with 401 if the key is missing or invalid', async () => {
    const id = await addPet(call);
    expect(await outcomeOf(service.callAs(null, `/v1/pets/${id}`))).toBe('401 unauthorized');
    expect(await outcomeOf(service.callAs('Bearer x', `/v1/pets/${id}`))).toBe('401 invalid_api_key');
  });

  it('responds with 404 if no pet has the id', async () => {
    const id = await addPet(call);
    expect(await outcomeOf(call(`/v1/pets/${BigInt(id) + 1000n}`))).toBe('404 not_found');
  });

  it('announces its removal on 5 December 2030 and still works', async () => {
    const id = await addPet(call);
    const response = await call(`/v1/pets/${id}`);
    expect(response.status).toBe(200);
    expect(new Date(response.headers.get('Sunset') ?? '').toISOString()).toBe('2030-12-05T00:00:00.000Z');
  });
});

describe('the operations that v1 does not have', () => {
  it('include orders: their path is 404', async () => {
    expect(await outcomeOf(call('/v1/store/orders'))).toBe('404 not_found');
  });

  it('include update and delete: their methods are 405', async () => {
    const id = await addPet(call);
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      expect(await outcomeOf(call(`/v1/pets/${id}`, { method }))).toBe('405 method_not_allowed');
    }
    expect((await call(`/v1/pets/${id}`)).status).toBe(200);
  });
});

const operations: [string, string, RequestInit][] = [
  ['listPets', '/v1/pets', {}],
  ['createPet', '/v1/pets', post(rex)],
  ['getPet', '/v1/pets/1', {}],
];

describe('authentication', () => {
  for (const [name, path, init] of operations) {
    it(`accepts Authorization: Bearer <API_KEY> for ${name}`, async () => {
      await addPet(call);
      const response = await service.callAs(`Bearer ${service.apiKey}`, path, init);
      expect(response.status).toBe(name === 'createPet' ? 201 : 200);
    });

    it(`refuses ${name} without a valid key, with an error body`, async () => {
      for (const credential of [null, '', 'Bearer', 'Bearer x', `Basic ${btoa('a:b')}`, service.apiKey]) {
        const response = await service.callAs(credential, path, init);
        expect(response.status).toBe(401);
        expect(Object.keys(await errorOf(response))).toEqual(['code', 'message', 'status']);
      }
    });
  }
});

describe('the error body', () => {
  it('repeats the 400 of an invalid create', async () => {
    for (const body of [{}, { ...rex, status: 'lost' }]) {
      const response = await create(body);
      expect(response.status).toBe(400);
      expect((await errorOf(response)).status).toBe(400);
    }
  });

  for (const [name, path, init] of operations) {
    it(`repeats the 401 of ${name}`, async () => {
      for (const credential of [null, 'Bearer wrong']) {
        const response = await service.callAs(credential, path, init);
        expect(response.status).toBe(401);
        expect((await errorOf(response)).status).toBe(401);
      }
    });
  }

  it('repeats the 404 of a pet that does not exist', async () => {
    const response = await call('/v1/pets/0');
    expect(response.status).toBe(404);
    expect((await errorOf(response)).status).toBe(404);
  });
});

describe('limit', () => {
  it('is at least 1', async () => {
    await addPets(call, 2);
    expect(idsOf(await (await call('/v1/pets?limit=1')).text())).toHaveLength(1);
    expect(await outcomeOf(call('/v1/pets?limit=0'))).toBe('400 invalid_parameter');
  });

  it('is at most 100', async () => {
    await addPets(call, 101);
    expect(idsOf(await (await call('/v1/pets?limit=100')).text())).toHaveLength(100);
    expect(await outcomeOf(call('/v1/pets?limit=101'))).toBe('400 invalid_parameter');
  });

  it('is 20 by default', async () => {
    await addPets(call, 21);
    expect(idsOf(await (await call('/v1/pets')).text())).toHaveLength(20);
  });
});

describe('the version', () => {
  it('is 1.0.0 in openapi.json', async () => {
    const contract = (await (await call('/openapi.json')).json()) as { info: { version: string } };
    expect(contract.info.version).toBe('1.0.0');
  });

  it('is part of every path as /v1', async () => {
    expect(openapi.paths).toContainKeys(['/v1/pets', '/v1/pets/{petId}']);
    expect((await call('/v1/pets')).status).toBe(200);
    for (const path of ['/pets', '/v2/pets', '/V1/pets'])
      expect(await outcomeOf(call(path))).toBe('404 not_found');
  });

  it('deprecates getPet and no other operation', async () => {
    const marked = Object.values(openapi.paths).flatMap(({ get, post: add }) =>
      [get, add].filter((operation) => operation?.deprecated).map((operation) => operation?.operationId),
    );
    expect(marked).toEqual(['getPet']);
    expect((await call('/v1/pets')).headers.has('Deprecation')).toBe(false);
    expect((await call('/v1/pets/1')).headers.has('Deprecation')).toBe(true);
  });

  it('has no experimental operation', () => {
    expect(JSON.stringify(openapi.paths)).not.toMatch(/experimental|beta/i);
  });
});
