import { afterAll, describe, expect, it } from 'bun:test';
import { addPet, addPets } from '../support/http/calls.ts';
import { checkedFetch } from '../support/contract/conformance.ts';
import { openService } from '../support/http/service.ts';
import { listen } from '../support/http/socket.ts';

/** HEAD on a socket, and origins that the operator lists. The rest are checks of `petstore-conform`. */

const service = await openService();
const { call } = service;
afterAll(() => service.close());

describe('HEAD', () => {
  it('has the status and headers of GET, and no body', async () => {
    const id = await addPet(call);
    await addPets(call, 2);
    await using server = listen(service.app);
    const paths = ['/v1/pets?limit=1', `/v1/pets/${id}`, '/v1/pets/0', '/v1/pets?limit=0', '/v1/x', '/livez'];
    for (const path of [...paths, '/', '/docs', '/openapi.yaml', '/openapi.json', '/readyz']) {
      const ask = (method: string) =>
        checkedFetch(server.url + path, {
          method,
          headers: {
            Authorization: `Bearer ${service.apiKey}`,
            'X-Request-Id': 'same',
            // fetch unpacks a body, and its length would then not be the one that was sent.
            'Accept-Encoding': 'identity',
          },
        });
      const [get, head] = [await ask('GET'), await ask('HEAD')];
      expect(head.status).toBe(get.status);
      expect(await head.text()).toBe('');
      expect(head.headers.has('Date')).toBe(true);
      const withoutDate = ({ headers }: Response) => {
        headers.delete('Date');
        return Object.fromEntries(headers);
      };
      expect(withoutDate(head)).toEqual(withoutDate(get));
      expect(head.headers.get('Content-Length')).toBe(String((await get.bytes()).length));
    }
  });
});

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
