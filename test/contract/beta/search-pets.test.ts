import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { issueKey } from '../../../src/stores/issue-key.ts';
import { addPet, errorOf, nextQuery, outcomeOf, patch, rex } from '../../support/http/calls.ts';
import { openService } from '../../support/http/service.ts';

/** `docs/decisions.md`, "Operations beyond the contract": searchPets, getKey, and what they share with listOrders. */

const path = '/v1/pets/search';
const service = await openService();
const { call } = service;
afterAll(() => service.close());

const search = (query = '', headers = {}) => call(`${path}${query}`, { headers });
const found = async (query: string) => (await (await search(query)).json()) as { name: string }[];
const namesOf = async (query: string) => (await found(query)).map(({ name }) => name);

beforeAll(async () => {
  for (const [index, name] of ['Łucja', 'Straße', 'Rex 50%', 'Rex 50_', 'Tyrannosaurus Rex'].entries())
    await addPet(call, { name, categoryId: index, status: index % 2 ? 'sold' : 'available' });
});

describe('searchPets', () => {
  it('binds a cursor to its query, but not to the limit', async () => {
    const link = nextQuery(await search('?q=rex&limit=1'))!;
    const cursor = new URLSearchParams(link).get('cursor')!;
    expect(await outcomeOf(search(`?q=rex&limit=2&cursor=${cursor}`))).toBe('200');
    for (const query of ['q=tom', 'q=rex&sort=oldest', 'q=rex&status=sold', 'q=rex&id=1', 'q=REX', ''])
      expect([query, await outcomeOf(search(`?${query}&cursor=${cursor}`))]).toEqual([
        query,
        '400 invalid_cursor',
      ]);
    expect(await outcomeOf(call(`/v1/pets?cursor=${cursor}`))).toBe('400 invalid_cursor');
    expect(await outcomeOf(call(`/v1/store/orders?cursor=${cursor}`))).toBe('400 invalid_cursor');
    const ofPets = new URLSearchParams(nextQuery(await call('/v1/pets?limit=1'))).get('cursor');
    expect(await outcomeOf(search(`?cursor=${ofPets}`))).toBe('400 invalid_cursor');
  });

  it.each([
    ...['q=', `q=${'x'.repeat(101)}`, 'q=a&q=b', 'q=%00', 'id=', 'id=01', 'id=x', 'id=9223372036854775808'],
    ...[
      'categoryId=1.0',
      'categoryId=1&categoryId=1',
      'status=x',
      'sort=up',
      'sort=',
      'limit=0',
      'limit=101',
    ],
  ])('refuses %s', async (query) => {
    const { code, message } = await errorOf(search(`?${query}`));
    expect(code).toBe('invalid_parameter');
    expect(message).toStartWith(query.slice(0, query.indexOf('=')));
  });

  it('accepts a query of 100 characters, spaces alone, and extreme integers', async () => {
    expect(await outcomeOf(search(`?q=${encodeURIComponent('🐕'.repeat(100))}`))).toBe('200');
    expect(await namesOf('?q=+')).toHaveLength(5);
    expect(await namesOf('?id=-9223372036854775808&categoryId=9223372036854775807')).toEqual([]);
  });

  it('has an ETag and HEAD, like a list', async () => {
    const response = await search('?q=rex');
    const etag = response.headers.get('ETag')!;
    expect((await search('?q=rex', { 'If-None-Match': etag })).status).toBe(304);
    expect((await search('?q=rex', { 'If-Match': '"x"' })).status).toBe(412);
    const head = await call(`${path}?q=rex`, { method: 'HEAD' });
    expect([head.status, head.headers.get('ETag'), await head.text()]).toEqual([200, etag, '']);
    expect(response.headers.get('Cache-Control')).toBe('private, no-cache');
  });

  it('is not a pet: other methods are 405, and listPets ignores its parameters', async () => {
    for (const method of ['POST', 'PATCH', 'DELETE'])
      expect(await outcomeOf(call(path, { method }))).toBe('405 method_not_allowed');
    const all = await (await call('/v1/pets?limit=100')).text();
    expect(await (await call('/v1/pets?limit=100&q=lucja&id=1&sort=newest')).text()).toBe(all);
  });

  it('is a bad id with --stable-only, and getKey is unknown', async () => {
    await using off = await openService({ stableOnly: true });
    const response = await off.call(path);
    expect(response.headers.has('Deprecation')).toBe(true);
    expect(await outcomeOf(response)).toBe('404 not_found');
    expect(await outcomeOf(off.call('/v1/key'))).toBe('404 not_found');
  });
});

describe('getKey', () => {
  it('describes a fixed key', async () => {
    const response = await call('/v1/key');
    expect(response.headers.get('Petstore-Stability')).toBe('beta');
    expect(await response.text()).toBe('{"name":"API_KEYS","readOnly":false,"mayDelete":true}');
    const headers = { 'If-None-Match': response.headers.get('ETag')! };
    expect((await call('/v1/key', { headers })).status).toBe(304);
  });

  it('describes a key of the store, and its orders have its name', async () => {
    const now = new Date(Date.now() - 1000);
    const expiresAt = new Date(now.getTime() + 3_600_000);
    const keys = [
      { name: 'till "2"', now, expiresAt },
      { name: 'window', now, isReadOnly: true },
    ];
    const [till, window] = await Promise.all(keys.map((key) => issueKey(service.keys, key)));
    const asTill = (to: string, init?: RequestInit) => service.callAs(`Bearer ${till!.text}`, to, init);
    expect(await (await asTill('/v1/key')).json()).toEqual({
      name: 'till "2"',
      readOnly: false,
      mayDelete: true,
      createdAt: now.toISOString(),
      expiresAt: expiresAt.toISOString(),
    });
    const ofWindow = await service.callAs(`Bearer ${window!.text}`, '/v1/key');
    expect(await ofWindow.json()).toEqual({
      name: 'window',
      readOnly: true,
      mayDelete: false,
      createdAt: now.toISOString(),
    });

    const id = await addPet(asTill, { ...rex, status: 'pending' });
    await call(`/v1/pets/${id}`, patch({ status: 'sold' }));
    const orders = await (await call(`/v1/store/orders?petId=${id}&sort=newest`)).json();
    expect(orders).toMatchObject([
      { status: 'sold', createdBy: 'API_KEYS' },
      { status: 'pending', createdBy: 'till "2"' },
    ]);
  });
});

describe('listOrders', () => {
  it('walks the orders of one pet, newest first', async () => {
    const id = await addPet(call);
    for (const status of ['sold', 'pending', 'sold']) await call(`/v1/pets/${id}`, patch({ status }));
    const first = `?petId=${id}&sort=newest&limit=1`;
    const statuses: string[] = [];
    for (let query: string | undefined = first; query !== undefined;) {
      const response: Response = await call(`/v1/store/orders${query}`);
      statuses.push(...((await response.json()) as { status: string }[]).map(({ status }) => status));
      query = nextQuery(response);
    }
    expect(statuses).toEqual(['sold', 'pending', 'sold']);
    const cursor = new URLSearchParams(nextQuery(await call(`/v1/store/orders${first}`))).get('cursor');
    expect(await outcomeOf(call(`/v1/store/orders?petId=${id}&cursor=${cursor}`))).toBe('400 invalid_cursor');
    expect(await outcomeOf(call('/v1/store/orders?petId=x'))).toBe('400 invalid_parameter');
    expect(await outcomeOf(call('/v1/store/orders?sort=x'))).toBe('400 invalid_parameter');
  });
});
