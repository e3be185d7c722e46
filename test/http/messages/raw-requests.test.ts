import { afterAll, describe, expect, it } from 'bun:test';
import * as fc from 'fast-check';
import { addPet, rex } from '../../support/http/calls.ts';
import { checkRawResponse, type SocketResponse } from '../../support/http/socket.ts';
import { holds, propertyTimeoutMs } from '../../support/property.ts';
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
  it(
    'get a documented response below 500, or a bare refusal when they are not HTTP',
    async () => {
      await holds(
        fc.asyncProperty(method, prefix, anyBytes, async (verb, start, bytes) => {
          const target = Buffer.concat([Buffer.from(start), bytes]);
          await expectDocumented({ method: verb, target }, isVisible(bytes));
        }),
        200,
      );
    },
    propertyTimeoutMs,
  );
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

  it(
    'get a documented response below 500, or a bare refusal when they are not HTTP',
    async () => {
      await holds(
        fc.asyncProperty(parameter, anyBytes, async (start, bytes) => {
          const target = Buffer.concat([Buffer.from(`/v1/pets?${start}`), bytes]);
          await expectDocumented({ target }, isVisible(bytes));
        }),
        150,
      );
    },
    propertyTimeoutMs,
  );
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

  it(
    'get a documented response below 500, or a bare refusal when they are not HTTP',
    async () => {
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
    },
    propertyTimeoutMs,
  );
});
