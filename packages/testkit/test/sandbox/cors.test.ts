import { afterAll, describe, expect, it } from 'bun:test';
import { parseFault } from '../../src/sandbox/faults/fault.ts';
import { startSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';

const sandbox = await startSandbox({ count: 3 });
afterAll(() => sandbox.stop());

const preflight = (path: string, method: string, headers: string, origin = 'https://tool.example') =>
  fetch(`${sandbox.url}${path}`, {
    method: 'OPTIONS',
    headers: {
      Origin: origin,
      'Access-Control-Request-Method': method,
      'Access-Control-Request-Headers': headers,
    },
  });
const get = (from: Sandbox, path: string, headers: Record<string, string> = {}) =>
  fetch(`${from.url}${path}`, {
    headers: { Authorization: `Bearer ${from.apiKey}`, Origin: 'https://tool.example', ...headers },
  });
const allowed = (response: Response, name: string): string[] =>
  response.headers.get(`Access-Control-${name}`)?.split(', ') ?? [];

describe('a page of another origin', () => {
  it.each([
    ['GET', '/v1/pets', 'authorization,if-none-match,petstore-fault'],
    ['POST', '/v1/pets', 'authorization,content-type,idempotency-key,petstore-fault'],
    ['PATCH', '/v1/pets/1', 'authorization,content-type,if-match'],
    ['DELETE', '/v1/pets/1', 'authorization,if-match,x-some-tool'],
    ['POST', '/sandbox/faults', 'authorization,content-type'],
    ['POST', '/sandbox/reset', 'authorization'],
  ])('may send %s %s with any header', async (method, path, headers) => {
    for (const origin of ['https://tool.example', 'null']) {
      const response = await preflight(path, method, headers, origin);
      expect(response.status).toBe(204);
      expect(response.headers.get('Access-Control-Allow-Origin')).toBe(origin);
      expect(allowed(response, 'Allow-Methods')).toContain(method);
      expect(response.headers.get('Access-Control-Allow-Headers')).toBe(headers);
    }
  });

  it('may read the document and the headers of every response, including injected errors', async () => {
    const readable = ['Link', 'Location', 'ETag', 'Deprecation', 'Sunset', 'Retry-After', 'X-Request-Id'];
    for (const [path, fault] of [
      ['/openapi.json', 'delay=0ms'],
      ['/v1/pets', 'delay=0ms'],
      ['/v1/pets/1', 'status=429;retry-after=3'],
      ['/v1/pets', 'fly=1'],
      ['/sandbox/faults', ''],
    ] as const) {
      const response = await get(sandbox, path, { 'Petstore-Fault': fault });
      expect(response.headers.get('Access-Control-Allow-Origin')).toBe('https://tool.example');
      expect(allowed(response, 'Expose-Headers')).toEqual(expect.arrayContaining(readable));
      expect(response.headers.has('Access-Control-Allow-Credentials')).toBe(false);
    }
  });

  it('sees a fault of all requests, which spares the preflight', async () => {
    await using faulty = await startSandbox({ count: 0, faults: parseFault('status=503') });
    const options = { method: 'OPTIONS', headers: { 'Access-Control-Request-Method': 'POST' } };
    expect((await fetch(`${faulty.url}/v1/pets`, options)).status).toBe(204);
    expect((await get(faulty, '/v1/pets')).status).toBe(503);
  });
});
