import { afterAll, describe, expect, it } from 'bun:test';
import { addPets, outcomeOf, post, rex } from '../support/http/calls.ts';
import { putCategory } from '../support/changes.ts';
import { openPaths } from '../support/contract/open-paths.ts';
import { operations } from '../support/contract/openapi.ts';
import { openService } from '../support/http/service.ts';

/** RFC 9110, sections 13.1.1 and 13.2: what a caller may demand of the representation before it is sent. */

const service = await openService();
const { call } = service;
await addPets(call, 2);
await service.pets.apply(putCategory(7n, 'Cats'));
afterAll(() => service.close());

const etagOf = async (path: string): Promise<string> => (await call(path)).headers.get('ETag') ?? '';
const ask = (path: string, headers: Record<string, string>, method = 'GET'): Promise<Response> =>
  call(path, { method, headers });

const readable = [
  ...operations.filter(({ method }) => method === 'GET'),
  ...openPaths.filter(({ statuses }) => statuses.includes(200)),
].map(({ path }) =>
  path.replace('{petId}', '1').replace('{categoryId}', '7').replace('{file}', 'console.js'),
);

it.each(readable)('If-None-Match gives 304 to a caller who has the tag of %s', async (path) => {
  expect((await ask(path, { 'If-None-Match': await etagOf(path) })).status).toBe(304);
});

describe('If-Match', () => {
  it.each(readable)('gives 200 to a GET and HEAD of %s when its tag is listed, or for *', async (path) => {
    const etag = await etagOf(path);
    for (const tags of [etag, `"a", ${etag}`, `W/"a",${etag},"b"`, '*', ' * ']) {
      expect((await ask(path, { 'If-Match': tags })).status).toBe(200);
      expect((await ask(path, { 'If-Match': tags }, 'HEAD')).status).toBe(200);
    }
  });

  it.each(readable)('gives 412 to a GET and HEAD of %s when its tag is not listed', async (path) => {
    const etag = await etagOf(path);
    for (const tags of ['"a"', '"*"', '', etag.slice(1, -1), `"a", W/"b"`]) {
      expect(await outcomeOf(ask(path, { 'If-Match': tags }))).toBe('412 precondition_failed');
      expect((await ask(path, { 'If-Match': tags }, 'HEAD')).status).toBe(412);
    }
  });

  it('is ignored when the request fails without it', async () => {
    for (const tags of ['*', '"a"']) {
      expect(await outcomeOf(ask('/v1/pets/0', { 'If-Match': tags }))).toBe('404 not_found');
      expect(await outcomeOf(ask('/v1/pets?limit=0', { 'If-Match': tags }))).toBe('400 invalid_parameter');
      const create = post({}, { 'If-Match': tags });
      expect(await outcomeOf(call('/v1/pets', create))).toBe('400 invalid_pet');
      expect(await outcomeOf(service.callAs(null, '/v1/pets', { headers: { 'If-Match': tags } }))).toBe(
        '401 unauthorized',
      );
    }
  });
});

describe('a precondition of a change', () => {
  const change = (method: string, path: string, headers: Record<string, string>) =>
    call(path, {
      method,
      headers: { 'Content-Type': 'application/json', ...headers },
      body: '{"name":"Rex"}',
    });
  const changes: [method: string, path: string][] = [
    ['PATCH', '/v1/pets/1'],
    ['DELETE', '/v1/pets/1'],
    ['PUT', '/v1/categories/1'],
    ['DELETE', '/v1/categories/1'],
  ];

  it.each(changes)('is 400 if a %s of %s cannot read it, and nothing changes', async (method, path) => {
    const before = (await call('/v1/events?after=now')).headers.get('Link');
    for (const name of ['If-Match', 'If-None-Match']) {
      for (const tags of [
        '',
        'abc',
        '"a',
        'a"',
        '"a" "b"',
        '"a", b',
        '*, "a"',
        'w/"a"',
        'W/*',
        ',',
        '"a b"',
      ]) {
        const refused = change(method, path, { [name]: tags });
        expect([tags, await outcomeOf(refused)]).toEqual([tags, '400 invalid_parameter']);
      }
    }
    expect((await call('/v1/events?after=now')).headers.get('Link')).toBe(before);
  });

  it.each(['"a"', ' "a" ', 'W/"a"', '"a","b"', '"a" , W/"b"', ', "a",, ""', '"a,b"', '"é"'])(
    'is read if it is %s',
    async (tags) => {
      for (const [method, path] of changes.slice(0, 3)) {
        const refused = await outcomeOf(change(method, path, { 'If-Match': tags }));
        expect(refused).toBe('412 precondition_failed');
      }
    },
  );
});

describe('If-Match on a create', () => {
  it('is 412 for any tag, and neither adds the pet nor uses up its Idempotency-Key', async () => {
    const etag = await etagOf('/v1/pets');
    for (const tags of ['"a"', etag, `W/${etag}`, '']) {
      const create = call('/v1/pets', post(rex, { 'If-Match': tags, 'Idempotency-Key': 'conditional' }));
      expect(await outcomeOf(create)).toBe('412 precondition_failed');
    }
    const first = await call('/v1/pets', post(rex, { 'If-Match': '*', 'Idempotency-Key': 'conditional' }));
    expect(first.headers.has('Idempotent-Replayed')).toBe(false);
  });
});
