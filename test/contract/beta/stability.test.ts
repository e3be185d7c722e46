import { afterAll, describe, expect, it } from 'bun:test';
import { addPet, errorOf, outcomeOf, patch, post, rex } from '../../support/http/calls.ts';
import { openService } from '../../support/http/service.ts';

/** `docs/decisions.md`, "Operations beyond the contract": they are on and marked, unless `--stable-only` removes them. */

const on = await openService();
const off = await openService({ stableOnly: true });
afterAll(async () => {
  await on.close();
  await off.close();
});

const orders = '/v1/store/orders';
const allowOf = async (pending: Promise<Response>) => (await pending).headers.get('Allow');

describe('the beta operations', () => {
  it('are served from the first start, and each of their responses is marked', async () => {
    const id = await addPet(on.call);
    const responses = [
      await on.call(`/v1/pets/${id}`, patch({ name: 'Tom' })),
      await on.call(orders),
      await on.call(`/v1/pets/${id}`, { method: 'DELETE' }),
    ];
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 204]);
    for (const { headers } of responses) expect(headers.get('Petstore-Stability')).toBe('beta');
  });

  it('are marked in their errors as well', async () => {
    const anonymous = (path: string, init: RequestInit = {}) => on.callAs(null, path, init);
    const id = await addPet(on.call);
    const failed: [string, Promise<Response>][] = [
      ['401 unauthorized', anonymous(`/v1/pets/${id}`, patch({ name: 'Tom' }))],
      ['401 unauthorized', anonymous(`/v1/pets/${id}`, { method: 'DELETE' })],
      ['401 unauthorized', anonymous(orders)],
      ['400 invalid_pet', on.call(`/v1/pets/${id}`, patch({}))],
      ['415 unsupported_media_type', on.call(`/v1/pets/${id}`, patch('x', { 'Content-Type': 'text/plain' }))],
      ['404 not_found', on.call('/v1/pets/0', patch({ name: 'Tom' }))],
      ['404 not_found', on.call('/v1/pets/0', { method: 'DELETE' })],
      ['412 precondition_failed', on.call(`/v1/pets/${id}`, patch({ name: 'Tom' }, { 'If-Match': '"x"' }))],
      ['400 invalid_parameter', on.call(`${orders}?limit=0`)],
      ['405 method_not_allowed', on.call(orders, { method: 'PUT' })],
    ];
    for (const [outcome, pending] of failed) {
      const response = await pending;
      expect(response.headers.get('Petstore-Stability')).toBe('beta');
      expect(await outcomeOf(response)).toBe(outcome);
    }
  });

  it('leave the deprecation headers to getPet', async () => {
    const id = await addPet(on.call);
    const path = `/v1/pets/${id}`;
    const isDeprecated = async (init?: RequestInit) => {
      const { headers } = await on.call(path, init);
      return ['Deprecation', 'Sunset', 'Link'].map((name) => headers.has(name));
    };
    expect(await isDeprecated(patch({ name: 'Tom' }))).toEqual([false, false, false]);
    expect(await isDeprecated(patch({}))).toEqual([false, false, false]);
    for (const init of [undefined, { method: 'PUT' }]) {
      expect(await isDeprecated(init)).toEqual([true, true, true]);
    }
    expect(await isDeprecated({ method: 'DELETE' })).toEqual([false, false, false]);
  });

  it('are listed in Allow', async () => {
    for (const method of ['OPTIONS', 'PUT']) {
      const init = { method };
      expect(await allowOf(on.call('/v1/pets/1', init))).toBe('GET, HEAD, PATCH, DELETE, OPTIONS');
      expect(await allowOf(on.call('/v1/pets', init))).toBe('GET, HEAD, POST, OPTIONS');
      expect(await allowOf(on.call(orders, init))).toBe('GET, HEAD, OPTIONS');
    }
  });

  it('leave unknown paths unknown', async () => {
    for (const path of ['/v1/orders', '/v1/store', `${orders}/`, `${orders}/1`, '/store/orders']) {
      expect(await outcomeOf(on.call(path))).toBe('404 not_found');
    }
  });

  it('need no header, and ignore a Petstore-Stability of any value', async () => {
    const id = await addPet(on.call, { ...rex, status: 'sold' });
    const asked: [string, RequestInit][] = [
      ['/v1/pets', {}],
      ['/v1/pets?limit=0', {}],
      [`/v1/pets/${id}`, {}],
      [`/v1/pets/${id}`, patch({ name: 'Rex' })],
      ['/v1/pets/0', { method: 'DELETE' }],
      [`/v1/pets/${id}`, { method: 'OPTIONS' }],
      ['/v1/pets', post('{')],
      ['/v1/pets', { method: 'DELETE' }],
      [orders, {}],
      ['/v1/unknown', {}],
    ];
    for (const service of [on, off]) {
      for (const [path, init] of asked) {
        const plain = await service.call(path, withHeaders(init));
        const text = await plain.text();
        for (const value of ['experimental', 'beta', '', 'stable, experimental']) {
          const asking = await service.call(path, withHeaders(init, { 'Petstore-Stability': value }));
          expect(asking.status).toBe(plain.status);
          expect([...asking.headers]).toEqual([...plain.headers]);
          expect(await asking.text()).toBe(text);
        }
      }
    }
  });
});

describe('a service with --stable-only', () => {
  it('has only the three stable operations', async () => {
    const id = await addPet(off.call);
    const path = `/v1/pets/${id}`;
    const json = { headers: { 'Content-Type': 'application/json' }, body: '{"name":"Tom"}' };
    for (const init of [{ method: 'PATCH', ...json }, { method: 'DELETE' }, { method: 'OPTIONS' }]) {
      const response = await off.call(path, init);
      expect(response.status).toBe(init.method === 'OPTIONS' ? 204 : 405);
      expect(response.headers.get('Allow')).toBe('GET, HEAD, OPTIONS');
      expect(response.headers.has('Petstore-Stability')).toBe(false);
      expect(response.headers.has('Deprecation')).toBe(true);
    }
    for (const method of ['GET', 'POST', 'OPTIONS']) {
      const response = await off.call(orders, { method });
      expect(response.headers.has('Petstore-Stability')).toBe(false);
      expect(await errorOf(response)).toEqual({
        code: 'not_found',
        message: 'Nothing is found at this address.',
        status: 404,
      });
    }
    expect(await (await off.call(path)).json()).toEqual({ id: Number(id), ...rex });
  });
});

function withHeaders(init: RequestInit, more: Record<string, string> = {}): RequestInit {
  return { ...init, headers: { ...(init.headers as object), 'X-Request-Id': 'same', ...more } };
}
