import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { PetstoreError, statusOfCode } from '../../src/error.ts';
import { addPet, addPets, errorOf, outcomeOf, post, rex } from '../support/http/calls.ts';
import { openFailingService } from '../support/http/failing-service.ts';
import { openapi } from '../support/contract/openapi.ts';
import { openService } from '../support/http/service.ts';

/** `docs/decisions.md`, "Responses". Pages, idempotency and the request id have files of their own. */

const service = await openService();
const { call } = service;
afterAll(() => service.close());

describe('a 201', () => {
  it('has the path of the new pet in Location', async () => {
    const response = await call('/v1/pets', post({ ...rex, name: 'Located' }));
    const created: unknown = await response.json();
    const found = await call(response.headers.get('Location') ?? '');
    expect(found.status).toBe(200);
    expect(await found.json()).toEqual(created as object);
  });
});

describe('an absent status', () => {
  it('is left out of the JSON, never null', async () => {
    await using own = await openService();
    const created = await own.call('/v1/pets', post(rex));
    const location = created.headers.get('Location') ?? '';
    for (const response of [created, await own.call(location), await own.call('/v1/pets')]) {
      expect(await response.text()).not.toContain('status');
    }
  });
});

describe('an ETag', () => {
  const paths = ['/v1/pets', '/v1/pets?limit=1', '/v1/pets?status=sold', '/v1/pets/1'];
  const ask = (path: string, ifNoneMatch: string, method = 'GET') =>
    call(path, { method, headers: { 'If-None-Match': ifNoneMatch } });
  const etagOf = async (path: string) => (await call(path)).headers.get('ETag') ?? '';
  beforeAll(() => addPets(call, 2));

  for (const path of paths) {
    it(`is on every 200 of GET ${path}, with Cache-Control: private, no-cache`, async () => {
      const { status, headers } = await call(path);
      expect(status).toBe(200);
      expect(headers.get('ETag')).toMatch(/^"[\w.-]+"$/);
      expect(headers.get('Cache-Control')).toBe('private, no-cache');
    });

    it(`in If-None-Match gives 304 with the same headers and no body: ${path}`, async () => {
      const full = await call(path);
      const response = await ask(path, full.headers.get('ETag') ?? '');
      expect(response.status).toBe(304);
      expect(await response.text()).toBe('');
      for (const name of ['ETag', 'Cache-Control', 'Link']) {
        expect(response.headers.get(name)).toBe(full.headers.get(name));
      }
    });
  }

  it('in If-None-Match may be weak, one of several, or *', async () => {
    const etag = await etagOf('/v1/pets');
    for (const held of [`W/${etag}`, `"a", ${etag}`, `"a",${etag},"b"`, `W/"a", W/${etag}`, '*', ' * ']) {
      expect((await ask('/v1/pets', held)).status).toBe(304);
    }
  });

  it('of another response in If-None-Match gives 200', async () => {
    const etag = await etagOf('/v1/pets');
    const others = ['', '""', '"a"', etag.slice(1, -1), `${etag.slice(0, -2)}"`, `"*"`, `w/${etag}x`];
    for (const held of [...others, await etagOf('/v1/pets?limit=1')]) {
      expect((await ask('/v1/pets', held)).status).toBe(200);
    }
  });

  it('is on HEAD, which obeys If-None-Match as well', async () => {
    const etag = await etagOf('/v1/pets');
    const head = await call('/v1/pets', { method: 'HEAD' });
    expect(head.headers.get('ETag')).toBe(etag);
    expect((await ask('/v1/pets', etag, 'HEAD')).status).toBe(304);
  });

  it('changes only with the response', async () => {
    const [list, one] = [await etagOf('/v1/pets?limit=100'), await etagOf('/v1/pets/1')];
    expect(await etagOf('/v1/pets?limit=100')).toBe(list);
    await addPet(call);
    expect(await etagOf('/v1/pets?limit=100')).not.toBe(list);
    expect(await etagOf('/v1/pets/1')).toBe(one);
  });

  it('is on no error, whatever If-None-Match says', async () => {
    for (const path of ['/v1/pets/0', '/v1/pets?limit=0']) {
      const response = await ask(path, '*');
      expect(response.status).toBeGreaterThanOrEqual(400);
      expect(response.headers.has('ETag')).toBe(false);
      expect(response.headers.get('Cache-Control')).toBe('no-store');
    }
  });
});

describe('the deprecation of getPet', () => {
  const announcement = {
    Deprecation: '@1794614400',
    Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
    Link: '</docs#deprecation>; rel="deprecation"; type="text/html", </v1/pets>; rel="successor-version"',
  };
  const responses: [string, string | null, RequestInit?][] = [
    ['200', '/v1/pets/1'],
    ['304', '/v1/pets/1', { headers: { 'If-None-Match': '*' } }],
    ['404', '/v1/pets/0'],
    ['404', '/v1/pets/abc'],
    ['405', '/v1/pets/1', { method: 'DELETE' }],
    ['204', '/v1/pets/1', { method: 'OPTIONS' }],
    ['200', '/v1/pets/1', { method: 'HEAD' }],
    ['404', '/v1/pets/0', { method: 'HEAD' }],
  ];
  const expectAnnounced = ({ headers }: Response) => {
    for (const [name, value] of Object.entries(announcement)) expect(headers.get(name)).toBe(value);
  };

  for (const [status, path, init] of responses) {
    it(`is on ${init?.method ?? 'GET'} ${path}: ${status}`, async () => {
      await addPet(call);
      const response = await call(path ?? '', init);
      expect(String(response.status)).toBe(status);
      expectAnnounced(response);
    });
  }

  it('is on 401', async () => {
    for (const credential of [null, 'Bearer x']) {
      const response = await service.callAs(credential, '/v1/pets/1');
      expect(response.status).toBe(401);
      expectAnnounced(response);
    }
  });

  it('is on 5xx', async () => {
    await using failing = await openFailingService(new Error('lost'));
    const response = await failing.call('/v1/pets/1');
    expect(response.status).toBe(500);
    expectAnnounced(response);
  });

  it('is on no other path', async () => {
    for (const path of ['/v1/pets', '/v1/pets/', '/v1/pets/1/x', '/livez', '/docs']) {
      const { headers } = await call(path);
      expect([headers.has('Deprecation'), headers.has('Sunset')]).toEqual([false, false]);
    }
  });

  it('has two links that work', async () => {
    const docs = await service.callAs(null, '/docs');
    expect(await docs.text()).toContain('id="deprecation"');
    expect((await call('/v1/pets')).status).toBe(200);
  });

  it('is in openapi.yaml, with its day', () => {
    expect(openapi.paths['/v1/pets/{petId}']?.get).toMatchObject({
      deprecated: true,
      'x-sunset': '2030-12-05',
    });
  });
});

describe('an error body', () => {
  const errors: [string, string, RequestInit?][] = [
    ['400 invalid_parameter', '/v1/pets?limit=0'],
    ['400 invalid_cursor', '/v1/pets?cursor=x'],
    ['400 invalid_json', '/v1/pets', post('{')],
    ['400 invalid_pet', '/v1/pets', post({})],
    ['401 unauthorized', '/v1/pets'],
    ['404 not_found', '/v1/pets/0'],
    ['404 not_found', '/v1/unknown'],
    ['404 not_found', '/favicon.ico'],
    ['405 method_not_allowed', '/livez', { method: 'POST' }],
    ['412 precondition_failed', '/v1/pets', { headers: { 'If-Match': '"another"' } }],
    ['413 payload_too_large', '/v1/pets', post(' '.repeat(65537))],
    ['415 unsupported_media_type', '/v1/pets', post('x', { 'Content-Type': 'text/plain' })],
    ['422 idempotency_conflict', '/v1/pets', post({ ...rex, name: 'Other' }, { 'Idempotency-Key': 'taken' })],
  ];
  for (const [outcome, path, init] of errors) {
    it(`has exactly code, message and status, as JSON: ${outcome} of ${path}`, async () => {
      await call('/v1/pets', post(rex, { 'Idempotency-Key': 'taken' }));
      const credential = outcome.startsWith('401') ? null : `Bearer ${service.apiKey}`;
      const response = await service.callAs(credential, path, init);
      expect(response.headers.get('Content-Type')).toBe('application/json');
      const error = await errorOf(response);
      expect(Object.keys(error).toSorted()).toEqual(['code', 'message', 'status']);
      expect(`${response.status} ${error.code}`).toBe(outcome);
      expect(error.status).toBe(response.status);
    });
  }

  it('has no stack, no SQL and no version, even if the store fails', async () => {
    const secret = new Error('SELECT * FROM pets failed at /srv/petstore/src/x.ts:1:2 (SQLite 3.53)');
    await using failing = await openFailingService(secret);
    const asked: [string, RequestInit?][] = [
      ['/v1/pets'],
      ['/v1/pets/1'],
      ['/v1/pets', post(rex)],
      ['/readyz'],
    ];
    for (const [path, init] of asked) {
      const response = await failing.call(path, init);
      const shown = JSON.stringify([...response.headers]) + (await response.clone().text());
      expect(await outcomeOf(response)).toBe('500 internal');
      expect(shown).not.toMatch(/SELECT|sqlite|\.ts|stack|Error:|bun\/|\d+\.\d+\.\d+/i);
    }
  });

  it('comes with Retry-After if the store cannot be used', async () => {
    for (const code of ['unavailable', 'overloaded'] as const) {
      await using failing = await openFailingService(new PetstoreError(code, 'Not now.'));
      const response = await failing.call('/v1/pets', post(rex));
      expect(response.headers.get('Retry-After')).toMatch(/^[1-9]\d*$/);
      expect(await errorOf(response)).toEqual({ code, message: 'Not now.', status: 503 });
    }
  });

  it('has one of the listed codes, each with its status', () => {
    expect(Object.entries(statusOfCode).map(([code, status]) => `${code} ${status}`)).toEqual([
      'unauthorized 401',
      'invalid_api_key 401',
      'not_found 404',
      'method_not_allowed 405',
      'invalid_parameter 400',
      'invalid_cursor 400',
      'invalid_json 400',
      'invalid_pet 400',
      'payload_too_large 413',
      'unsupported_media_type 415',
      'idempotency_conflict 422',
      'precondition_failed 412',
      'forbidden 403',
      'rate_limited 429',
      'overloaded 503',
      'unavailable 503',
      'internal 500',
    ]);
    expect(openapi.components.schemas['Error']?.properties?.['code']?.enum).toEqual(
      Object.keys(statusOfCode),
    );
  });
});
