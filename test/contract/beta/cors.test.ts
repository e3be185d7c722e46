import { afterAll, describe, expect, it } from 'bun:test';
import { addPet, patch } from '../../support/http/calls.ts';
import { openService } from '../../support/http/service.ts';

/** `docs/decisions.md`, "Operations beyond the contract": calls from pages of another origin. */

const origin = 'https://shop.example';
const full = await openService({ allowedOrigins: [origin] });
const stable = await openService({ allowedOrigins: [origin], stableOnly: true });
afterAll(async () => {
  await full.close();
  await stable.close();
});

/** What a browser sends before a call. */
const preflight = (method: string, from = origin) => ({
  method: 'OPTIONS',
  headers: {
    Origin: from,
    'Access-Control-Request-Method': method,
    'Access-Control-Request-Headers': 'authorization',
  },
});
const sendableHeaders = 'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-Request-Id';

describe('a preflight', () => {
  it.each([
    ['PATCH', '/v1/pets/1'],
    ['DELETE', '/v1/pets/1'],
    ['PUT', '/v1/categories/1'],
    ['GET', '/v1/store/orders'],
    ['GET', '/v1/pets'],
  ])('allows the methods of every operation: %s %s', async (method, path) => {
    const { status, headers } = await full.callAs(null, path, preflight(method));
    expect(status).toBe(204);
    expect(headers.get('Access-Control-Allow-Origin')).toBe(origin);
    expect(headers.get('Access-Control-Allow-Methods')).toBe('GET, HEAD, POST, PUT, PATCH, DELETE');
    expect(headers.get('Access-Control-Allow-Headers')).toBe(sendableHeaders);
  });

  it('allows only the methods of the stable operations with --stable-only', async () => {
    const { headers } = await stable.callAs(null, '/v1/pets/1', preflight('PATCH'));
    expect(headers.get('Access-Control-Allow-Methods')).toBe('GET, HEAD, POST');
    expect(headers.get('Access-Control-Allow-Headers')).toBe(sendableHeaders);
    // Unchecked: the document does not show the preflight of a path that does not exist.
    const unknown = new Request('http://localhost/v1/store/orders', preflight('GET'));
    expect((await stable.app.fetch(unknown)).status).toBe(401);
  });
});

describe('a call from a listed origin', () => {
  it('may read Petstore-Stability where it is sent', async () => {
    const id = await addPet(full.call);
    const exposed = async (init: RequestInit) => {
      const headers = new Headers(init.headers);
      headers.set('Origin', origin);
      const response = await full.call(`/v1/pets/${id}`, { ...init, headers });
      return response.headers.get('Access-Control-Expose-Headers');
    };
    expect(await exposed(patch({ name: 'Tom' }))).toEndWith(', Petstore-Stability');
    expect(await exposed({})).not.toContain('Petstore-Stability');
  });
});
