import { afterAll, describe, expect, it } from 'bun:test';
import * as fc from 'fast-check';
import { addPet, rex } from '../../support/http/calls.ts';
import { checkRawResponse, type SocketResponse } from '../../support/http/socket.ts';
import { holds } from '../../support/property.ts';
import { openListeningService } from '../../support/http/listening.ts';

const service = await openListeningService();
await addPet(service.call);
afterAll(() => service[Symbol.asyncDispose]());

interface RawRequest {
  method?: string;
  target: Uint8Array | string;
  headers?: [string, Uint8Array | string][];
  body?: string;
}

function bytesOf({ method = 'GET', target, headers = [], body = '' }: RawRequest): Buffer {
  const lines = [
    [`${method} `, target, ' HTTP/1.1'],
    ['Host: petstore'],
    ['Connection: close'],
    [`Content-Length: ${body.length}`],
    ...(headers.some(([name]) => name === 'Authorization')
      ? []
      : [[`Authorization: Bearer ${service.apiKey}`]]),
    ...headers.map(([name, value]) => [`${name}: `, value]),
    [],
  ];
  const bytes = lines.flatMap((line) => [...line, '\r\n'].map((part) => Buffer.from(part)));
  return Buffer.concat([...bytes, Buffer.from(body)]);
}

/** What the platform says by itself, with no body, to what is no HTTP: 505 when the request line has too many parts. */
const platformAnswers = [0, 400, 431, 505];

/** Well-formed HTTP gets a documented response below 500; anything else may also be cut off by the platform. */
async function expectDocumented(request: RawRequest, isHttp: boolean): Promise<SocketResponse> {
  const response = await service.exchange(bytesOf(request));
  const isFromPlatform = platformAnswers.includes(response.status) && !response.headers.has('X-Request-Id');
  if (isFromPlatform && !isHttp) {
    expect(response.body).toBe('');
    return response;
  }
  const target = Buffer.from(request.target).toString();
  await checkRawResponse(request.method ?? 'GET', `http://petstore${target}`, response);
  expect(response.status).toBeLessThan(500);
  return response;
}

const anyBytes = fc.uint8Array({ maxLength: 60 });
const isVisible = (bytes: Uint8Array) => bytes.every((byte) => byte > 0x20 && byte < 0x7f);
/** RFC 9110, section 5.5: visible ASCII, space, tab and every byte from 0x80 on. */
const isFieldValue = (bytes: Uint8Array) =>
  bytes.every((byte) => (byte >= 0x20 && byte !== 0x7f) || byte === 0x09);
const method = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS');
const prefix = fc.constantFrom(
  '/',
  '/v1/',
  '/v1/pets/',
  '/v1/pets',
  '/v1/pets/1',
  '/livez',
  '/docs/',
  '/v1/pets/%',
);

describe('any bytes in the path', () => {
  it('get a documented response below 500, or a bare refusal when they are not HTTP', async () => {
    await holds(
      fc.asyncProperty(method, prefix, anyBytes, async (verb, start, bytes) => {
        const target = Buffer.concat([Buffer.from(start), bytes]);
        await expectDocumented({ method: verb, target }, isVisible(bytes));
      }),
      200,
    );
  });
});

describe('any bytes in the query', () => {
  const parameter = fc.constantFrom(
    'limit=',
    'status=',
    'cursor=',
    '',
    'limit=5&limit=',
    'status=sold&cursor=',
  );

  it('get a documented response below 500, or a bare refusal when they are not HTTP', async () => {
    await holds(
      fc.asyncProperty(parameter, anyBytes, async (start, bytes) => {
        const target = Buffer.concat([Buffer.from(`/v1/pets?${start}`), bytes]);
        await expectDocumented({ target }, isVisible(bytes));
      }),
      150,
    );
  });
});

describe('any bytes in a header', () => {
  const names = [
    'Authorization',
    'Idempotency-Key',
    'Content-Type',
    'X-Request-Id',
    'If-Match',
    'If-None-Match',
    'Origin',
  ];
  const name = fc.constantFrom(...names, 'Accept', 'Cookie', 'Range', 'Expect-CT', 'X-Forwarded-For');

  it('get a documented response below 500, or a bare refusal when they are not HTTP', async () => {
    const body = JSON.stringify(rex);
    await holds(
      fc.asyncProperty(fc.constantFrom('GET', 'POST'), name, anyBytes, async (verb, header, bytes) => {
        const headers: RawRequest['headers'] = [[header, bytes]];
        if (header !== 'Content-Type') headers.push(['Content-Type', 'application/json']);
        const request = { method: verb, target: '/v1/pets', headers, body: verb === 'POST' ? body : '' };
        await expectDocumented(request, isFieldValue(bytes));
      }),
      200,
    );
  });
});

describe('an unusual message', () => {
  const auth = `Host: petstore\r\nAuthorization: Bearer ${service.apiKey}\r\n`;
  const get = (target: string, headers = '', version = 'HTTP/1.1') =>
    `GET ${target} ${version}\r\n${auth}${headers}\r\n`;
  const get10 = (target: string) =>
    `GET ${target} HTTP/1.0\r\nAuthorization: Bearer ${service.apiKey}\r\n\r\n`;
  const list = get('/v1/pets');

  it.each<[title: string, status: number, bytes: string]>([
    ['a folded header', 400, get('/v1/pets', 'X-Folded: one\r\n two\r\n')],
    ['a header without a colon', 400, get('/v1/pets', 'Nonsense\r\n')],
    ['a header without a name', 400, get('/v1/pets', ': nonsense\r\n')],
    ['a header name with a space', 400, get('/v1/pets', 'X Y: z\r\n')],
    ['a header name with a NUL', 400, get('/v1/pets', 'X\0Y: z\r\n')],
    ['a header value with a NUL', 400, get('/v1/pets', 'X-Y: a\0b\r\n')],
    ['a header value with a bare CR', 400, get('/v1/pets', 'X-Y: a\rb\r\n')],
    ['no Host', 400, `GET /v1/pets HTTP/1.1\r\nAuthorization: Bearer ${service.apiKey}\r\n\r\n`],
    ['no method', 400, list.replace('GET ', ' ')],
    ['a method with a bracket', 400, list.replace('GET', 'G(T')],
    ['a ClientHello of TLS', 400, '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'.padEnd(200, '\x01')],
    ['the preface of HTTP/2', 400, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['nothing but NULs', 400, '\0'.repeat(1000)],
    ['OPTIONS *', 400, `OPTIONS * HTTP/1.1\r\n${auth}\r\n`],
    ['a target without a slash', 400, get('v1/pets')],
    ['a target of another scheme', 400, get('ftp://petstore/v1/pets')],
    ['an empty line before the request', 400, `\r\n${list}`],
    ['a header of 20 kB', 431, get('/v1/pets', `X-Long: ${'x'.repeat(20_000)}\r\n`)],
    ['300 headers', 431, get('/v1/pets', 'X-Many: y\r\n'.repeat(300))],
    ['a target of 20 kB', 431, get(`/v1/${'x'.repeat(20_000)}`)],
    ['a method of 20 kB', 431, list.replace('GET', 'G'.repeat(20_000))],
    ['a target with a space', 505, get('/v1/pets /x')],
    ['a target with a NUL', 505, get('/v1/pets\0')],
    ['a target with a bare LF', 505, get('/v1/pets\nX: y')],
    ['HTTP/0.9', 505, 'GET /v1/pets\r\n\r\n'],
    ['HTTP/2.0', 505, get('/v1/pets', '', 'HTTP/2.0')],
    ['HTTP/9.9', 505, get('/v1/pets', '', 'HTTP/9.9')],
    ['a version in lower case', 505, get('/v1/pets', '', 'http/1.1')],
    ['lines that end in a bare LF', 505, list.replaceAll('\r', '')],
    ['a method in lower case', 0, list.replace('GET', 'get')],
    ['an unknown method', 0, list.replace('GET', 'FROBNICATE')],
  ])('is refused by the runtime, without a body: %s, %d', async (_title, status, bytes) => {
    const response = await service.exchange(bytes);
    expect([response.status, response.body]).toEqual([status, '']);
    expect(response.headers.has('X-Request-Id')).toBe(false);
  });

  it.each<[title: string, status: number, bytes: string]>([
    ['two Host headers', 200, get('/v1/pets', 'Host: other\r\n')],
    ['a target with a user', 200, get('http://user:password@petstore/v1/pets')],
    ['a target with a backslash', 200, get('/v1\\pets')],
    [
      'an upgrade to WebSocket',
      200,
      get(
        '/v1/pets',
        'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n',
      ),
    ],
    [
      'an upgrade to HTTP/2',
      200,
      get(
        '/v1/pets',
        'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n',
      ),
    ],
    ['CONNECT', 404, `CONNECT petstore:443 HTTP/1.1\r\n${auth}\r\n`],
    // As simple health checks send it.
    ...['/livez 200', '/v1/pets?limit=1 200', '/v1/pets/0 404', '/v1/pets?limit=0 400'].map(
      (row): [string, number, string] => {
        const [path = '', status] = row.split(' ');
        return [`HTTP/1.0 without Host for ${path}`, Number(status), get10(path)];
      },
    ),
    ...['localhost:8080', '[::1]:8080', 'xn--bcher-kva.example', 'a_b', 'a:b', 'v1', ''].map(
      (host): [string, number, string] => [
        `the Host ${JSON.stringify(host)}`,
        200,
        get('/v1/pets').replace('petstore', host),
      ],
    ),
    ...['/v1/./pets', '/v1/x/../pets', '/docs/../v1/pets', '/v1/pe%74s'].map(
      (path): [string, number, string] => [`the path ${path}, which is resolved first`, 200, get(path)],
    ),
    // A fragment is no part of a request target (RFC 9112, section 3.2), so the character belongs to the path.
    ...['/v1/pets#x', '/v1/pets#', '/v1/pets/1#x', '/v1/pets#?limit=1', '/livez#', '/#'].flatMap((path) =>
      [get(path), get(`http://petstore${path}`), get10(path)].map((bytes): [string, number, string] => [
        `a # in ${bytes.split('\r\n')[0]}`,
        404,
        bytes,
      ]),
    ),
    ['a # behind an open path', 401, get('/docs#x').replace(/Authorization.*\r\n/, '')],
  ])('reaches the service: %s, %d', async (_title, status, bytes) => {
    const response = await service.exchange(bytes);
    expect(response.status).toBe(status);
    expect(response.headers.has('X-Request-Id')).toBe(true);
  });
});
