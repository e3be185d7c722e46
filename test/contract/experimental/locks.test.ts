import { afterAll, describe, expect, it } from 'bun:test';
import { addPet, errorOf, experimental, outcomeOf, patch, post, rex } from '../../support/http/calls.ts';
import { openService } from '../../support/http/service.ts';

/** `docs/decisions.md`, "Experimental operations": the two locks. */

const on = await openService({ isExperimental: true });
const off = await openService();
afterAll(async () => {
  await on.close();
  await off.close();
});

const orders = '/v1/store/orders';
const withHeader = (value: string, init: RequestInit = {}) =>
  experimental({ ...init, headers: { ...(init.headers as object), 'Petstore-Stability': value } });
const allowOf = async (pending: Promise<Response>) => (await pending).headers.get('Allow');

describe('with both locks open', () => {
  it('serves the three operations, and marks each of their responses', async () => {
    const id = await addPet(on.call);
    const responses = [
      await on.call(`/v1/pets/${id}`, patch({ name: 'Tom' })),
      await on.call(orders, experimental()),
      await on.call(`/v1/pets/${id}`, experimental({ method: 'DELETE' })),
    ];
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 204]);
    for (const { headers } of responses) expect(headers.get('Petstore-Stability')).toBe('experimental');
  });

  it('marks the errors of the three operations', async () => {
    const anonymous = (path: string, init: RequestInit) => on.callAs(null, path, init);
    const id = await addPet(on.call);
    const failed: [string, Promise<Response>][] = [
      ['401 unauthorized', anonymous(`/v1/pets/${id}`, patch({ name: 'Tom' }))],
      ['401 unauthorized', anonymous(`/v1/pets/${id}`, experimental({ method: 'DELETE' }))],
      ['401 unauthorized', anonymous(orders, experimental())],
      ['400 invalid_pet', on.call(`/v1/pets/${id}`, patch({}))],
      ['415 unsupported_media_type', on.call(`/v1/pets/${id}`, patch('x', { 'Content-Type': 'text/plain' }))],
      ['404 not_found', on.call('/v1/pets/0', patch({ name: 'Tom' }))],
      ['404 not_found', on.call('/v1/pets/0', experimental({ method: 'DELETE' }))],
      ['412 precondition_failed', on.call(`/v1/pets/${id}`, patch({ name: 'Tom' }, { 'If-Match': '"x"' }))],
      ['400 invalid_parameter', on.call(`${orders}?limit=0`, experimental())],
      ['405 method_not_allowed', on.call(orders, experimental({ method: 'PUT' }))],
    ];
    for (const [outcome, pending] of failed) {
      const response = await pending;
      expect(response.headers.get('Petstore-Stability')).toBe('experimental');
      expect(await outcomeOf(response)).toBe(outcome);
    }
  });

  it('gives getPet alone the deprecation headers', async () => {
    const id = await addPet(on.call);
    const path = `/v1/pets/${id}`;
    const isDeprecated = async (init?: RequestInit) => {
      const { headers } = await on.call(path, init);
      return ['Deprecation', 'Sunset', 'Link'].map((name) => headers.has(name));
    };
    expect(await isDeprecated(patch({ name: 'Tom' }))).toEqual([false, false, false]);
    expect(await isDeprecated(patch({}))).toEqual([false, false, false]);
    for (const init of [undefined, experimental(), experimental({ method: 'PUT' }), { method: 'DELETE' }]) {
      expect(await isDeprecated(init)).toEqual([true, true, true]);
    }
    expect(await isDeprecated(experimental({ method: 'DELETE' }))).toEqual([false, false, false]);
  });

  it('lists the larger API in Allow', async () => {
    for (const method of ['OPTIONS', 'PUT']) {
      const init = experimental({ method });
      expect(await allowOf(on.call('/v1/pets/1', init))).toBe('GET, HEAD, PATCH, DELETE, OPTIONS');
      expect(await allowOf(on.call('/v1/pets', init))).toBe('GET, HEAD, POST, OPTIONS');
      expect(await allowOf(on.call(orders, init))).toBe('GET, HEAD, OPTIONS');
    }
  });

  it('keeps unknown paths unknown', async () => {
    for (const path of ['/v1/orders', '/v1/store', `${orders}/`, `${orders}/1`, '/store/orders']) {
      expect(await outcomeOf(on.call(path, experimental()))).toBe('404 not_found');
    }
  });

  it('serves the operations of v1 as without the header', async () => {
    const id = await addPet(on.call, { ...rex, status: 'sold' });
    const asked: [string, RequestInit][] = [
      ['/v1/pets', {}],
      ['/v1/pets?status=sold', {}],
      ['/v1/pets?limit=0', {}],
      [`/v1/pets/${id}`, {}],
      ['/v1/pets/0', {}],
      [`/v1/pets/${id}`, { headers: { 'If-None-Match': '*' } }],
      ['/v1/pets', post('{')],
      ['/v1/pets', { method: 'DELETE' }],
      ['/v1/unknown', {}],
    ];
    for (const [path, init] of asked) {
      const id1 = { 'X-Request-Id': 'same' };
      const plain = await on.call(path, { ...init, headers: { ...(init.headers as object), ...id1 } });
      const larger = await on.call(
        path,
        experimental({ ...init, headers: { ...(init.headers as object), ...id1 } }),
      );
      expect(larger.status).toBe(plain.status);
      expect([...larger.headers]).toEqual([...plain.headers]);
      expect(await larger.text()).toBe(await plain.text());
    }
  });
});

describe('an unknown value of Petstore-Stability', () => {
  const values = ['beta', 'Experimental', 'EXPERIMENTAL', '', 'experimental, experimental', 'true', '*'];
  for (const value of values) {
    it(`is 400 everywhere behind the key: ${JSON.stringify(value)}`, async () => {
      const id = await addPet(on.call);
      const asked: [string, RequestInit][] = [
        ['/v1/pets', {}],
        ['/v1/pets', post(rex)],
        [`/v1/pets/${id}`, {}],
        [`/v1/pets/${id}`, { method: 'PATCH' }],
        [`/v1/pets/${id}`, { method: 'DELETE' }],
        [`/v1/pets/${id}`, { method: 'PUT' }],
        [orders, {}],
        ['/v1/unknown', {}],
      ];
      for (const [path, init] of asked) {
        const error = await errorOf(on.call(path, withHeader(value, init)));
        expect(error).toEqual({
          code: 'invalid_parameter',
          message: 'Petstore-Stability must be given once, as experimental, or left out.',
          status: 400,
        });
      }
      expect(await outcomeOf(on.call(`/v1/pets/${id}`))).toBe('200');
    });
  }

  it('is checked after the key', async () => {
    for (const path of ['/v1/pets', '/v1/pets/1', orders, '/v1/unknown']) {
      expect(await outcomeOf(on.callAs(null, path, withHeader('beta')))).toBe('401 unauthorized');
      expect(await outcomeOf(on.callAs('Bearer x', path, withHeader('beta')))).toBe('401 invalid_api_key');
    }
  });

  it('does not matter where no key is needed', async () => {
    for (const path of ['/livez', '/openapi.json', '/openapi.experimental.json']) {
      expect(await outcomeOf(on.callAs(null, path, withHeader('beta')))).toBe('200');
    }
    expect(await allowOf(on.call('/v1/pets/1', withHeader('beta', { method: 'OPTIONS' })))).toBe(
      'GET, HEAD, OPTIONS',
    );
  });
});

describe('with a lock closed', () => {
  const closed: [string, typeof on, (init?: RequestInit) => RequestInit][] = [
    ['the header is missing', on, (init = {}) => init],
    ['the operations are off', off, experimental],
    ['the operations are off and the value is unknown', off, (init) => withHeader('beta', init)],
  ];
  for (const [title, service, request] of closed) {
    it(`is v1: ${title}`, async () => {
      const id = await addPet(service.call);
      const path = `/v1/pets/${id}`;
      const json = { headers: { 'Content-Type': 'application/json' }, body: '{"name":"Tom"}' };
      for (const init of [{ method: 'PATCH', ...json }, { method: 'DELETE' }, { method: 'OPTIONS' }]) {
        const response = await service.call(path, request(init));
        expect(response.status).toBe(init.method === 'OPTIONS' ? 204 : 405);
        expect(response.headers.get('Allow')).toBe('GET, HEAD, OPTIONS');
        expect(response.headers.has('Petstore-Stability')).toBe(false);
        expect(response.headers.has('Deprecation')).toBe(true);
      }
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const response = await service.call(orders, request({ method }));
        expect(response.headers.has('Petstore-Stability')).toBe(false);
        expect(await errorOf(response)).toEqual({
          code: 'not_found',
          message: 'Nothing is found at this address.',
          status: 404,
        });
      }
      expect(await (await service.call(path, request())).json()).toEqual({ id: Number(id), ...rex });
    });
  }
});
