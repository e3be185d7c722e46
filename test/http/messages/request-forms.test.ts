import { afterAll, describe, expect, it } from 'bun:test';
import { addPet } from '../../support/http/calls.ts';
import { checkRawResponse } from '../../support/http/socket.ts';
import { openListeningService } from '../../support/http/listening.ts';

/** Requests that are good HTTP and yet not what a browser sends. */

const service = await openListeningService();
await addPet(service.call);
afterAll(() => service[Symbol.asyncDispose]());

const send = async (method: string, path: string, lines: string[]): Promise<number> => {
  const authorization = `Authorization: Bearer ${service.apiKey}`;
  const response = await service.exchange([...lines, authorization, '', ''].join('\r\n'));
  await checkRawResponse(method, path, response);
  return response.status;
};

const paths: [string, number][] = [
  ['/', 200],
  ['/livez', 200],
  ['/readyz', 200],
  ['/v1/pets', 200],
  ['/v1/pets?limit=1', 200],
  ['/v1/pets/1', 200],
  ['/v1/pets/0', 404],
  ['/v1/pets?limit=0', 400],
];

describe('a request line of HTTP/1.0 without Host, as simple health checks send it', () => {
  for (const [path, status] of paths) {
    it(`gets ${status} for GET ${path}`, async () => {
      expect(await send('GET', path, [`GET ${path} HTTP/1.0`])).toBe(status);
    });
  }
});

describe('a Host of any form', () => {
  for (const host of [
    'localhost:8080',
    '[::1]:8080',
    'xn--bcher-kva.example',
    '127.0.0.1',
    'a_b',
    'a:b',
    'v1',
    '',
  ]) {
    it(`${JSON.stringify(host)} does not change the path`, async () => {
      expect(await send('GET', '/v1/pets/1', ['GET /v1/pets/1 HTTP/1.1', `Host: ${host}`])).toBe(200);
      expect(await send('GET', '/livez', ['GET /livez HTTP/1.1', `Host: ${host}`])).toBe(200);
    });
  }
});

describe('a path in another spelling', () => {
  it('names the same resource when single characters are percent-encoded', async () => {
    for (const path of ['/v1/pets/%31', '/v1/pe%74s', '/%6Civez']) {
      expect(await send('GET', path, [`GET ${path} HTTP/1.1`, 'Host: petstore'])).toBe(200);
    }
  });

  it('is resolved before it is routed', async () => {
    for (const path of ['/v1/./pets', '/v1/x/../pets', '/docs/../v1/pets']) {
      expect(await send('GET', '/v1/pets', [`GET ${path} HTTP/1.1`, 'Host: petstore'])).toBe(200);
    }
  });

  it('is not found with a doubled slash or in another case', async () => {
    for (const path of ['//v1/pets', '/v1//pets', '/v1/Pets', '/V1/pets']) {
      expect(await send('GET', `http://petstore${path}`, [`GET ${path} HTTP/1.1`, 'Host: petstore'])).toBe(
        404,
      );
    }
  });
});

describe('a # in a target', () => {
  // A fragment is no part of a request target (RFC 9112, section 3.2), so the character belongs to what it stands in.
  it('makes it another path', async () => {
    for (const path of ['/v1/pets#x', '/v1/pets#', '/v1/pets/1#x', '/v1/pets#?limit=1', '/livez#', '/#']) {
      for (const lines of [
        [`GET ${path} HTTP/1.1`, 'Host: petstore'],
        [`GET http://petstore${path} HTTP/1.1`, 'Host: petstore'],
        [`GET ${path} HTTP/1.0`],
      ]) {
        expect(await send('GET', path, lines)).toBe(404);
      }
    }
  });

  it('does not open a path to a caller without a key', async () => {
    const { status } = await service.exchange('GET /docs#x HTTP/1.1\r\nHost: petstore\r\n\r\n');
    expect(status).toBe(401);
  });
});
