import { afterAll, describe, expect, it } from 'bun:test';
import { addPet, addPets, errorOf, idsOf, outcomeOf, post, rex } from '../support/http/calls.ts';
import { checkedFetch } from '../support/contract/conformance.ts';
import { openService } from '../support/http/service.ts';
import { listen } from '../support/http/socket.ts';

/** `docs/decisions.md`, "Requests". The order of checks and bodies have files of their own. */

const service = await openService();
const { call } = service;
afterAll(() => service.close());

describe('the base address', () => {
  it('is /v1', async () => {
    const id = await addPet(call);
    expect((await call('/v1/pets')).status).toBe(200);
    expect((await call(`/v1/pets/${id}`)).status).toBe(200);
  });

  it('takes a trailing slash for another path', async () => {
    const id = await addPet(call);
    for (const path of ['/v1/pets/', `/v1/pets/${id}/`, '/v1', '/v1/', '/livez/']) {
      expect(await outcomeOf(call(path))).toBe('404 not_found');
    }
    expect(await outcomeOf(call('/v1/pets/', post(rex)))).toBe('404 not_found');
  });
});

describe('HEAD and OPTIONS', () => {
  it('HEAD has the status and headers of GET, and no body', async () => {
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

  it('HEAD without a key is 401', async () => {
    const response = await service.callAs(null, '/v1/pets', { method: 'HEAD' });
    expect(response.status).toBe(401);
    expect(response.headers.has('WWW-Authenticate')).toBe(true);
  });

  const allowed: [string, string][] = [
    ['/v1/pets', 'GET, HEAD, POST, OPTIONS'],
    ['/v1/pets/1', 'GET, HEAD, OPTIONS'],
    ['/v1/pets/abc', 'GET, HEAD, OPTIONS'],
    ['/', 'GET, HEAD, OPTIONS'],
    ['/livez', 'GET, HEAD, OPTIONS'],
    ['/openapi.json', 'GET, HEAD, OPTIONS'],
  ];
  for (const [path, allow] of allowed) {
    it(`OPTIONS ${path} needs no key and responds with Allow: ${allow}`, async () => {
      const response = await service.callAs(null, path, { method: 'OPTIONS' });
      expect(response.status).toBe(204);
      expect(response.headers.get('Allow')).toBe(allow);
      expect(await response.text()).toBe('');
    });

    it(`another method on ${path} is 405 with Allow: ${allow}`, async () => {
      for (const method of ['DELETE', 'PUT', 'PATCH']) {
        const response = await call(path, { method });
        expect(response.headers.get('Allow')).toBe(allow);
        expect(await outcomeOf(response)).toBe('405 method_not_allowed');
      }
    });
  }

  it('OPTIONS on an unknown path is 404, behind the key', async () => {
    expect(await outcomeOf(service.callAs(null, '/v1/x', { method: 'OPTIONS' }))).toBe('401 unauthorized');
    expect(await outcomeOf(call('/v1/x', { method: 'OPTIONS' }))).toBe('404 not_found');
  });
});

describe('cross-origin calls', () => {
  const preflight = (origin: string) => ({
    method: 'OPTIONS',
    headers: { Origin: origin, 'Access-Control-Request-Method': 'POST' },
  });
  const corsHeaders = (response: Response) =>
    [...response.headers.keys()].filter((name) => name.startsWith('access-control-'));

  it('are refused by default', async () => {
    for (const init of [preflight('https://shop.example'), { headers: { Origin: 'https://shop.example' } }]) {
      expect(corsHeaders(await call('/v1/pets', init))).toEqual([]);
    }
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
});

describe('limit', () => {
  for (const limit of ['1', '2', '9', '10', '99', '100']) {
    it(`accepts ${limit}`, async () => {
      expect(await outcomeOf(call(`/v1/pets?limit=${limit}`))).toBe('200');
    });
  }

  const refused = [
    '0',
    '101',
    'abc',
    '1.5',
    '',
    '+5',
    '05',
    '1e1',
    ' 5',
    '5 ',
    '-1',
    '1000',
    '0x5',
    '５',
    '5,5',
  ];
  for (const limit of [...refused, 'null', '9'.repeat(400)]) {
    it(`refuses ${JSON.stringify(limit).slice(0, 20)} and never clamps it`, async () => {
      const response = await call(`/v1/pets?limit=${encodeURIComponent(limit)}`);
      expect(response.status).toBe(400);
      const { code, message } = await errorOf(response);
      expect(code).toBe('invalid_parameter');
      expect(message).toStartWith('limit ');
    });
  }

  it('refuses two values, equal or not', async () => {
    for (const query of ['limit=5&limit=5', 'limit=5&limit=6', 'limit=5&status=sold&limit=']) {
      expect(await outcomeOf(call(`/v1/pets?${query}`))).toBe('400 invalid_parameter');
    }
  });
});

describe('the status filter', () => {
  for (const status of ['available', 'pending', 'sold']) {
    it(`accepts ${status}`, async () => {
      expect(await outcomeOf(call(`/v1/pets?status=${status}`))).toBe('200');
    });
  }

  for (const status of [
    '',
    'Available',
    'SOLD',
    'sold ',
    ' sold',
    'adopted',
    'null',
    'sold,pending',
    'toString',
  ]) {
    it(`refuses ${JSON.stringify(status)}`, async () => {
      const response = await call(`/v1/pets?status=${encodeURIComponent(status)}`);
      expect(response.status).toBe(400);
      const { code, message } = await errorOf(response);
      expect(code).toBe('invalid_parameter');
      expect(message).toStartWith('status ');
    });
  }

  it('refuses two values', async () => {
    expect(await outcomeOf(call('/v1/pets?status=sold&status=sold'))).toBe('400 invalid_parameter');
  });
});

describe('unknown query parameters', () => {
  it('are ignored', async () => {
    const ids = idsOf(await (await call('/v1/pets?limit=3')).text());
    for (const extra of [
      'offset=2',
      'page=2',
      'Limit=0',
      'STATUS=x',
      'limit[]=0',
      'a=1&a=2',
      '=',
      '%zz',
      'name',
    ]) {
      const response = await call(`/v1/pets?${extra}&limit=3`);
      expect(response.status).toBe(200);
      expect(idsOf(await response.text())).toEqual(ids);
    }
  });
});

describe('petId', () => {
  const noIds = [
    'abc',
    '+1',
    '01',
    '-0',
    '1.0',
    '1e0',
    '0x1',
    '1 ',
    ' 1',
    '%20',
    '1,2',
    '１',
    'null',
    '-',
    '1;v=2',
  ];
  const outside = ['9223372036854775808', '-9223372036854775809', '1'.repeat(300)];
  for (const petId of [...noIds, ...outside]) {
    it(`is 404 if it is ${JSON.stringify(petId).slice(0, 30)}`, async () => {
      await addPet(call);
      expect(await outcomeOf(call(`/v1/pets/${encodeURIComponent(petId)}`))).toBe('404 not_found');
    });
  }

  it('is 404 if no pet has it', async () => {
    for (const petId of ['0', '-1', '9223372036854775807', '-9223372036854775808']) {
      expect(await outcomeOf(call(`/v1/pets/${petId}`))).toBe('404 not_found');
    }
  });
});
