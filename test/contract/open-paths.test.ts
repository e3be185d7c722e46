import { afterAll, describe, expect, it } from 'bun:test';
import { addPet, outcomeOf } from '../support/http/calls.ts';
import { openService } from '../support/http/service.ts';

/** `docs/decisions.md`, "Other": what v1 does not have, and which paths need no key. */

const service = await openService();
const { call } = service;
afterAll(() => service.close());

describe('GET /store/orders', () => {
  it('is 404 like any unknown path, behind the key', async () => {
    expect(await outcomeOf(service.callAs(null, '/v1/store/orders'))).toBe('401 unauthorized');
    expect(await outcomeOf(call('/v1/store/orders'))).toBe('404 not_found');
    expect(await outcomeOf(call('/v1/store/orders', { method: 'POST' }))).toBe('404 not_found');
  });
});

describe('updates, deletes, transitions and events', () => {
  it('are not part of v1', async () => {
    const id = await addPet(call);
    for (const method of ['PUT', 'PATCH', 'DELETE', 'POST']) {
      expect(await outcomeOf(call(`/v1/pets/${id}`, { method }))).toBe('405 method_not_allowed');
    }
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      expect(await outcomeOf(call('/v1/pets', { method }))).toBe('405 method_not_allowed');
    }
    for (const path of [`/v1/pets/${id}/status`, `/v1/pets/${id}/sell`, '/v1/events', '/v1/categories']) {
      expect(await outcomeOf(call(path))).toBe('404 not_found');
    }
  });
});

describe('a path without a key', () => {
  const open: [string, string, string][] = [
    ['/', 'text/html; charset=utf-8', '<title>'],
    ['/docs', 'text/html; charset=utf-8', '/v1/pets'],
    ['/openapi.json', 'application/json', '"openapi": "3.1'],
    ['/openapi.yaml', 'application/yaml', 'openapi: 3.1'],
    ['/livez', 'application/json', '{"status":"ok"}'],
    ['/readyz', 'application/json', '{"status":"ok"}'],
  ];
  for (const [path, contentType, content] of open) {
    it(`is served: ${path}`, async () => {
      for (const credential of [null, 'Bearer wrong']) {
        const response = await service.callAs(credential, path);
        expect(response.status).toBe(200);
        expect(response.headers.get('Content-Type')).toBe(contentType);
        expect(await response.text()).toContain(content);
      }
    });
  }

  it('may be the contract, the same in JSON and YAML', async () => {
    const [json, yaml] = [await call('/openapi.json'), await call('/openapi.yaml')];
    expect(await json.json()).toEqual(Bun.YAML.parse(await yaml.text()) as object);
  });

  const closed = ['/v1/pets', '/v1/pets/1'];
  const unknown = ['/v1', '/v1/', '/favicon.ico', '/robots.txt', '/metrics', '/health', '/healthz', '/.env'];
  const nearly = [
    '/livez/',
    '/livez/x',
    '/LIVEZ',
    '/docs/index.html',
    '/index.html',
    '/openapi.yml',
    '/openapi',
  ];
  const tricks = [
    '/docs/../v1/pets',
    '/%2e%2e/v1/pets',
    '/livez%2f..%2fv1/pets',
    '/docs;/v1',
    '/livez%00',
    '/v1%2fpets',
  ];
  for (const path of [...closed, ...unknown, ...nearly, ...tricks]) {
    it(`is refused: ${path}`, async () => {
      expect(await outcomeOf(service.callAs(null, path))).toBe('401 unauthorized');
    });
  }
  for (const path of [...unknown, ...nearly]) {
    it(`is 404 once there is a key: ${path}`, async () => {
      expect(await outcomeOf(call(path))).toBe('404 not_found');
    });
  }
});
