import { afterAll, describe, expect, it } from 'bun:test';
import { addPet } from '../../support/http/calls.ts';
import { checkRawResponse } from '../../support/http/socket.ts';
import { openListeningService } from '../../support/http/listening.ts';

/** Requests that are good HTTP and yet not what a browser sends. */

const service = await openListeningService();
await addPet(service.call);
afterAll(() => service[Symbol.asyncDispose]());

const http10 = (target: string): string[] => [`GET ${target} HTTP/1.0`];
const http11 = (target: string, host = 'petstore'): string[] => [`GET ${target} HTTP/1.1`, `Host: ${host}`];

const get = async (path: string, lines: string[]): Promise<number> => {
  const authorization = `Authorization: Bearer ${service.apiKey}`;
  const response = await service.exchange([...lines, authorization, '', ''].join('\r\n'));
  await checkRawResponse('GET', path, response);
  return response.status;
};

describe('a request', () => {
  it.each([
    ['/livez', 200],
    ['/v1/pets?limit=1', 200],
    ['/v1/pets/0', 404],
    ['/v1/pets?limit=0', 400],
  ])('of HTTP/1.0 without Host, as simple health checks send it, for %s is %d', async (path, status) => {
    expect(await get(path, http10(path))).toBe(status);
  });

  it.each(['localhost:8080', '[::1]:8080', 'xn--bcher-kva.example', 'a_b', 'a:b', 'v1', ''])(
    'has the same path for the Host %j',
    async (host) => {
      expect(await get('/v1/pets/1', http11('/v1/pets/1', host))).toBe(200);
    },
  );

  it('has its path resolved before it is routed', async () => {
    for (const path of ['/v1/./pets', '/v1/x/../pets', '/docs/../v1/pets', '/v1/pe%74s'])
      expect(await get('/v1/pets', http11(path))).toBe(200);
  });

  // A fragment is no part of a request target (RFC 9112, section 3.2), so the character belongs to what it stands in.
  it('has another path if there is a # in its target', async () => {
    for (const path of ['/v1/pets#x', '/v1/pets#', '/v1/pets/1#x', '/v1/pets#?limit=1', '/livez#', '/#'])
      for (const lines of [http11(path), http11(`http://petstore${path}`), http10(path)])
        expect(await get(path, lines)).toBe(404);
    const { status } = await service.exchange([...http11('/docs#x'), '', ''].join('\r\n'));
    expect(status).toBe(401);
  });
});
