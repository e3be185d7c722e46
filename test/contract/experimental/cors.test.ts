import { afterAll, describe, expect, it } from 'bun:test';
import { addPet, experimental, patch } from '../../support/http/calls.ts';
import { openService } from '../../support/http/service.ts';

/** `docs/decisions.md`, "Experimental operations": calls from pages of another origin. */

const origin = 'https://shop.example';
const on = await openService({ isExperimental: true, allowedOrigins: [origin] });
const off = await openService({ allowedOrigins: [origin] });
afterAll(async () => {
  await on.close();
  await off.close();
});

/** What a browser sends before a call; it never sends the header itself. */
const preflight = (method: string, names = 'authorization,petstore-stability', from = origin) => ({
  method: 'OPTIONS',
  headers: {
    Origin: from,
    'Access-Control-Request-Method': method,
    'Access-Control-Request-Headers': names,
    'X-Request-Id': 'same',
  },
});
/** Unchecked: `openapi.yaml` does not show the preflight of a path that does not exist. */
const send = (service: typeof on, path: string, init: RequestInit) =>
  service.app.fetch(new Request(`http://localhost${path}`, init));
const v1Headers = 'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-Request-Id';

describe('a preflight that names Petstore-Stability', () => {
  it.each([
    ['PATCH', '/v1/pets/1'],
    ['DELETE', '/v1/pets/1'],
    ['GET', '/v1/store/orders'],
    ['GET', '/v1/pets'],
  ])('allows what the larger API has: %s %s', async (method, path) => {
    const { status, headers } = await on.callAs(null, path, preflight(method));
    expect(status).toBe(204);
    expect(headers.get('Access-Control-Allow-Origin')).toBe(origin);
    expect(headers.get('Access-Control-Allow-Methods')).toBe('GET, HEAD, POST, PATCH, DELETE');
    expect(headers.get('Access-Control-Allow-Headers')).toBe(`${v1Headers}, Petstore-Stability`);
  });

  it('may spell the name in any case, among others', async () => {
    for (const names of ['Petstore-Stability', 'a, PETSTORE-STABILITY ,b']) {
      const { headers } = await on.callAs(null, '/v1/pets/1', preflight('PATCH', names));
      expect(headers.get('Access-Control-Allow-Methods')).toContain('PATCH');
    }
  });

  it('allows nothing to another origin', async () => {
    const { headers } = await on.callAs(
      null,
      '/v1/pets/1',
      preflight('PATCH', 'petstore-stability', 'https://evil.example'),
    );
    expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });

  it('is the preflight of v1 while the operations are off', async () => {
    const { headers } = await off.callAs(null, '/v1/pets/1', preflight('PATCH'));
    expect(headers.get('Access-Control-Allow-Methods')).toBe('GET, HEAD, POST');
    expect(headers.get('Access-Control-Allow-Headers')).toBe(v1Headers);
    expect((await send(off, '/v1/store/orders', preflight('GET'))).status).toBe(401);
  });
});

describe('any other preflight', () => {
  it('gets the same bytes with the operations on and off', async () => {
    for (const names of ['authorization', 'authorization,content-type', 'x-petstore-stability', '']) {
      for (const path of ['/v1/pets', '/v1/pets/1', '/v1/store/orders']) {
        const [one, other] = [
          await send(on, path, preflight('PATCH', names)),
          await send(off, path, preflight('PATCH', names)),
        ];
        expect([one.status, [...one.headers]]).toEqual([other.status, [...other.headers]]);
        expect(await one.text()).toBe(await other.text());
      }
    }
  });
});

describe('a call from a listed origin', () => {
  it('may read Petstore-Stability where it is sent', async () => {
    const id = await addPet(on.call);
    const exposed = async (init: RequestInit) => {
      const headers = new Headers(init.headers);
      headers.set('Origin', origin);
      const response = await on.call(`/v1/pets/${id}`, { ...init, headers });
      return response.headers.get('Access-Control-Expose-Headers');
    };
    expect(await exposed(patch({ name: 'Tom' }))).toEndWith(', Petstore-Stability');
    expect(await exposed(experimental())).not.toContain('Petstore-Stability');
    expect(await exposed({})).not.toContain('Petstore-Stability');
  });
});
