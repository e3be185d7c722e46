import { afterAll, describe, expect, it } from 'bun:test';
import { addPet, patch } from '../support/http/calls.ts';
import { openService } from '../support/http/service.ts';

/** Origins that the operator lists. */

const service = await openService();
const { call } = service;
afterAll(() => service.close());

describe('cross-origin calls', () => {
  const preflight = (origin: string) => ({
    method: 'OPTIONS',
    headers: { Origin: origin, 'Access-Control-Request-Method': 'POST' },
  });
  const corsHeaders = (response: Response) =>
    [...response.headers.keys()].filter((name) => name.startsWith('access-control-'));

  it('are allowed from no origin if none is listed', async () => {
    const response = await call('/v1/pets', { headers: { Origin: 'https://shop.example' } });
    const refused = await service.callAs(null, '/v1/pets', preflight('https://shop.example'));
    expect([...corsHeaders(response), ...corsHeaders(refused)]).toEqual([]);
  });

  it('are allowed from a listed origin and no other', async () => {
    await using listed = await openService({ allowedOrigins: ['https://shop.example'] });
    const response = await listed.call('/v1/pets', { headers: { Origin: 'https://shop.example' } });
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('https://shop.example');
    expect(response.headers.get('Access-Control-Expose-Headers')).toContain('Link');
    for (const path of ['/v1/pets', '/v1/pets/1', '/v1/categories/1', '/v1/store/orders']) {
      const { headers } = await listed.callAs(null, path, preflight('https://shop.example'));
      expect(headers.get('Access-Control-Allow-Headers')).toBe(
        'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-Request-Id',
      );
      expect(headers.get('Access-Control-Allow-Methods')).toBe('GET, HEAD, POST, PUT, PATCH, DELETE');
    }
    for (const origin of [
      'https://shop.example:444',
      'http://shop.example',
      'https://evil.example',
      'null',
    ]) {
      const refused = await listed.callAs(null, '/v1/pets', preflight(origin));
      expect(corsHeaders(refused)).toEqual([]);
      expect(refused.headers.get('Vary')).toBe('Origin');
    }
  });

  it('are allowed from every origin with *', async () => {
    await using open = await openService({ allowedOrigins: ['*'] });
    for (const origin of ['https://shop.example', 'http://localhost:3000']) {
      const { headers } = await open.callAs(null, '/v1/pets', preflight(origin));
      expect(headers.get('Access-Control-Allow-Origin')).toBe(origin);
      expect(headers.get('Vary')).toBe('Origin');
    }
  });

  it('are allowed only the methods of the stable operations with --stable-only', async () => {
    await using stable = await openService({ allowedOrigins: ['*'], stableOnly: true });
    const { headers } = await stable.callAs(null, '/v1/pets/1', preflight('https://shop.example'));
    expect(headers.get('Access-Control-Allow-Methods')).toBe('GET, HEAD, POST');
  });

  it('may read Petstore-Stability where it is sent', async () => {
    await using open = await openService({ allowedOrigins: ['*'] });
    const path = `/v1/pets/${await addPet(open.call)}`;
    const exposedTo = async (init: RequestInit) =>
      (await open.call(path, init)).headers.get('Access-Control-Expose-Headers');
    const headers = { Origin: 'https://shop.example' };
    expect(await exposedTo(patch({ name: 'Tom' }, headers))).toEndWith(', Petstore-Stability');
    expect(await exposedTo({ headers })).not.toContain('Petstore-Stability');
  });
});
