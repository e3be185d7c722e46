import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { issueKey } from '../../src/stores/issue-key.ts';
import { addPet, errorOf, outcomeOf, post, rex } from '../support/http/calls.ts';
import { openService, type Service } from '../support/http/service.ts';

const json = { 'Content-Type': 'application/json' };
const forbidden = '403 forbidden';

let service: Service;
let credential: string;
let id: string;

beforeAll(async () => {
  service = await openService({ rateLimit: 1000 });
  const { text } = await issueKey(service.keys, { name: 'window', now: new Date(), isReadOnly: true });
  credential = `Bearer ${text}`;
  id = await addPet(service.call);
});
afterAll(() => service.close());

const ask = (path: string, init?: RequestInit) => service.callAs(credential, path, init);

describe('a read-only key', () => {
  it('may list and fetch', async () => {
    for (const method of ['GET', 'HEAD']) {
      for (const path of ['pets', 'pets?status=sold', `pets/${id}`, 'store/orders', 'events', 'categories']) {
        expect(await outcomeOf(ask(`/v1/${path}`, { method }))).toBe('200');
      }
    }
  });

  it('gets 404 and 405 first, and 403 before any problem of the body or the pet', async () => {
    expect(await outcomeOf(ask('/v1/unknown', post(rex)))).toBe('404 not_found');
    expect(await outcomeOf(ask('/v1/pets', { method: 'PUT' }))).toBe('405 method_not_allowed');
    expect(await outcomeOf(ask(`/v1/pets/${id}`, { method: 'PUT' }))).toBe('405 method_not_allowed');
    expect(await outcomeOf(ask('/v1/pets', post('x', { 'Content-Type': 'text/plain' })))).toBe(forbidden);
    expect(await outcomeOf(ask('/v1/pets', post(' '.repeat(16 * 1024 + 1))))).toBe(forbidden);
    expect(await outcomeOf(ask('/v1/pets', post('{')))).toBe(forbidden);
    expect(await outcomeOf(ask('/v1/pets/0', { method: 'DELETE' }))).toBe(forbidden);
  });
});

describe('a key that may not delete', () => {
  it('is 403 on a delete, is told what to do, and may do everything else', async () => {
    const { text } = await issueKey(service.keys, { name: 'till', now: new Date(), mayDelete: false });
    const till = (path: string, init?: RequestInit) => service.callAs(`Bearer ${text}`, path, init);
    const own = await addPet(till);
    const before = await listAll();
    const response = await till(`/v1/pets/${own}`, { method: 'DELETE' });
    expect(response.headers.get('WWW-Authenticate')).toBe(
      'Bearer realm="petstore", error="insufficient_scope"',
    );
    expect(await errorOf(response)).toEqual({
      code: 'forbidden',
      message: 'This API key may not delete. Use one that may, or ask whoever runs the service to delete it.',
      status: 403,
    });
    expect(await outcomeOf(till('/v1/pets/0', { method: 'DELETE' }))).toBe(forbidden);
    expect(await outcomeOf(till('/v1/pets', { method: 'DELETE' }))).toBe('405 method_not_allowed');
    expect(await listAll()).toBe(before);
    const update = { method: 'PATCH', headers: json, body: '{"name":"Tom"}' };
    expect(await outcomeOf(till(`/v1/pets/${own}`, update))).toBe('200');
    expect(await (await till('/v1/key')).json()).toMatchObject({ readOnly: false, mayDelete: false });
  });
});

async function listAll(): Promise<string> {
  return (await service.call('/v1/pets?limit=100')).text();
}
