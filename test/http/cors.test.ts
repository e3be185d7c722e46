import { afterAll, describe, expect, it } from 'bun:test';
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
    const allowed = await listed.callAs(null, '/v1/pets', preflight('https://shop.example'));
    expect(allowed.headers.get('Access-Control-Allow-Headers')).toContain('Authorization');
    expect(allowed.headers.get('Access-Control-Allow-Methods')).toContain('POST');
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
});
