import { afterAll, describe, expect, it } from 'bun:test';
import { issueKey } from '../../../src/stores/issue-key.ts';
import { addPet, nextQuery, outcomeOf, put } from '../../support/http/calls.ts';
import { openService } from '../../support/http/service.ts';

/** `docs/decisions.md`, "Operations beyond the contract": listCategories, putCategory and deleteCategory. */

const service = await openService();
const { call } = service;
afterAll(() => service.close());

const pathOf = (id: bigint | number | string) => `/v1/categories/${id}`;
const putCategory = (id: bigint | number | string, body: unknown, headers: Record<string, string> = {}) =>
  call(pathOf(id), put(body, headers));
const remove = (id: bigint | number | string, headers: Record<string, string> = {}) =>
  call(pathOf(id), { method: 'DELETE', headers });

describe('putCategory', () => {
  it('gives 201 with a Location the first time, and 200 afterwards', async () => {
    const first = await putCategory(7, { name: 'Cats' });
    expect([first.status, first.headers.get('Location')]).toEqual([201, '/v1/categories/7']);
    expect(first.headers.get('Petstore-Stability')).toBe('experimental');
    expect(await first.text()).toBe('{"id":7,"name":"Cats"}');
    for (const name of ['Cats', 'Kittens', 'Cats']) {
      const again = await putCategory(7, { name });
      expect([again.status, again.headers.has('Location')]).toEqual([200, false]);
      expect(await again.json()).toEqual({ id: 7, name });
      expect(again.headers.get('ETag') === first.headers.get('ETag')).toBe(name === 'Cats');
    }
  });

  it.each(['-9223372036854775808', '-1', '0', '9223372036854775807'])('accepts the number %s', async (id) => {
    expect(await (await putCategory(id, { name: 'Cats' })).text()).toBe(`{"id":${id},"name":"Cats"}`);
  });

  it.each(['07', '+7', '7.0', 'cats', '9223372036854775808', '%207', '-0'])(
    'gives 404 for %s, which is no number',
    async (id) => {
      expect(await outcomeOf(putCategory(id, { name: 'Cats' }))).toBe('404 not_found');
      expect(await outcomeOf(putCategory(id, 'no name'))).toBe('404 not_found');
      expect(await outcomeOf(remove(id))).toBe('404 not_found');
    },
  );

  it.each([{}, { name: ' ' }, { name: '' }, { name: 'x'.repeat(101) }, { name: 7 }, { name: null }, [[]]])(
    'gives 400 for %j',
    async (body) => {
      expect(await outcomeOf(putCategory(404, body))).toBe('400 invalid_category');
      expect(await outcomeOf(remove(404))).toBe('404 not_found');
    },
  );

  it('checks the body as a create does', async () => {
    const send = (init: RequestInit) => outcomeOf(call(pathOf(404), { method: 'PUT', ...init }));
    const asJson = { 'Content-Type': 'application/json' };
    expect(await send({ body: '{}', headers: { 'Content-Type': 'text/plain' } })).toBe(
      '415 unsupported_media_type',
    );
    expect(await send({ body: '{', headers: asJson })).toBe('400 invalid_json');
    expect(await send({ body: 'x'.repeat(64 * 1024 + 1), headers: asJson })).toBe('413 payload_too_large');
  });

  it('takes a number once with If-None-Match: *', async () => {
    const once = { 'If-None-Match': '*' };
    expect((await putCategory(20, { name: 'Dogs' }, once)).status).toBe(201);
    for (const name of ['Dogs', 'Hamsters'])
      expect(await outcomeOf(putCategory(20, { name }, once))).toBe('412 precondition_failed');
    await remove(20);
    expect((await putCategory(20, { name: 'Hamsters' }, once)).status).toBe(201);
  });

  it('replaces only the name whose tag is in If-Match', async () => {
    expect(await outcomeOf(putCategory(21, { name: 'Dogs' }, { 'If-Match': '*' }))).toBe(
      '412 precondition_failed',
    );
    const tag = (await putCategory(21, { name: 'Dogs' })).headers.get('ETag') ?? '';
    const ifSeen = { 'If-Match': tag };
    expect((await putCategory(21, { name: 'Hamsters' }, ifSeen)).status).toBe(200);
    expect(await outcomeOf(putCategory(21, { name: 'Mice' }, ifSeen))).toBe('412 precondition_failed');
    expect(await outcomeOf(remove(21, ifSeen))).toBe('412 precondition_failed');
    expect((await putCategory(21, { name: 'Mice' }, { 'If-Match': '*' })).status).toBe(200);
  });
});

describe('deleteCategory', () => {
  it('gives 204, then 404, and leaves the pets alone', async () => {
    await putCategory(1, { name: 'Dogs' });
    const id = await addPet(call, { name: 'Rex', categoryId: 1 });
    const deleted = await remove(1);
    expect([deleted.status, await deleted.text()]).toEqual([204, '']);
    expect(await outcomeOf(remove(1))).toBe('404 not_found');
    expect(await outcomeOf(remove(1, { 'If-Match': '"a"' }))).toBe('404 not_found');
    expect(await (await call(`/v1/pets/${id}`)).json()).toMatchObject({ categoryId: 1 });
  });
});

describe('listCategories', () => {
  it('gives pages by ascending id, whose links lead through all of them', async () => {
    await using own = await openService();
    for (const id of [5, -3, 1]) await own.call(pathOf(id), put({ name: `Category ${id}` }));
    const ids: number[] = [];
    for (let query: string | undefined = '?limit=2'; query !== undefined;) {
      const page = await own.call(`/v1/categories${query}`);
      expect(page.headers.get('Petstore-Stability')).toBe('experimental');
      ids.push(...((await page.json()) as { id: number }[]).map(({ id }) => id));
      query = nextQuery(page);
    }
    expect(ids).toEqual([-3, 1, 5]);
  });

  it('has an ETag that changes with the names', async () => {
    const before = (await call('/v1/categories?limit=100')).headers.get('ETag') ?? '';
    const again = () => call('/v1/categories?limit=100', { headers: { 'If-None-Match': before } });
    expect((await again()).status).toBe(304);
    await putCategory(30, { name: 'New' });
    expect((await again()).status).toBe(200);
  });

  it('ignores what it does not know, and refuses bad values', async () => {
    expect((await call('/v1/categories?status=adopted&sort=x&petId=x')).status).toBe(200);
    for (const query of ['limit=0', 'limit=101', 'limit=1&limit=2'])
      expect(await outcomeOf(call(`/v1/categories?${query}`))).toBe('400 invalid_parameter');
    await addPet(call);
    await addPet(call);
    const ofPets = nextQuery(await call('/v1/pets?limit=1')) ?? '';
    expect(await outcomeOf(call(`/v1/categories${ofPets}`))).toBe('400 invalid_cursor');
  });
});

describe('categories', () => {
  it('show in the events', async () => {
    const now = nextQuery(await call('/v1/events?after=now')) ?? '';
    await putCategory(40, { name: 'Dogs' });
    await putCategory(40, { name: 'Dogs' });
    await remove(40);
    const category = { id: 40, name: 'Dogs' };
    expect(await (await call(`/v1/events${now}`)).json()).toMatchObject([
      { type: 'category.updated', createdBy: 'API_KEYS', category },
      { type: 'category.deleted', createdBy: 'API_KEYS', category },
    ]);
    const deleted = (await call(`/v1/events${now}&type=category.deleted`)).json();
    expect(await deleted).toHaveLength(1);
  });

  it('may be read but not changed with a read-only key', async () => {
    const { text } = await issueKey(service.keys, { name: 'window', now: new Date(), isReadOnly: true });
    const asWindow = (path: string, init?: RequestInit) => service.callAs(`Bearer ${text}`, path, init);
    expect((await asWindow('/v1/categories')).status).toBe(200);
    expect(await outcomeOf(asWindow(pathOf(50), put({ name: 'Dogs' })))).toBe('403 forbidden');
    expect(await outcomeOf(asWindow(pathOf(50), { method: 'DELETE' }))).toBe('403 forbidden');
    expect(await outcomeOf(remove(50))).toBe('404 not_found');
  });

  it('allow PUT and DELETE of one, and GET of all', async () => {
    const allowed = async (path: string) => (await call(path, { method: 'OPTIONS' })).headers.get('Allow');
    expect(await allowed(pathOf(7))).toBe('PUT, DELETE, OPTIONS');
    expect(await allowed('/v1/categories')).toBe('GET, HEAD, OPTIONS');
    expect(await outcomeOf(call(pathOf(7)))).toBe('405 method_not_allowed');
  });

  it('are not there with --stable-only', async () => {
    await using stable = await openService({ stableOnly: true });
    expect(await outcomeOf(stable.call('/v1/categories'))).toBe('404 not_found');
    expect(await outcomeOf(stable.call(pathOf(7), put({ name: 'Dogs' })))).toBe('404 not_found');
  });
});
