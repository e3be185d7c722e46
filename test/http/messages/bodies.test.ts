import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { errorOf, outcomeOf, post, rex } from '../../support/http/calls.ts';
import { openService } from '../../support/http/service.ts';
import { checkRawResponse, listen, type Listening } from '../../support/http/socket.ts';

/** The messages about a body, and its size on a socket. The rest are checks of `petstore-conform`. */

const service = await openService();
const { call } = service;
afterAll(() => service.close());

const create = (body: unknown, headers?: Record<string, string>) => call('/v1/pets', post(body, headers));

describe('a body', () => {
  it('is invalid_json with a message that says where', async () => {
    const messageOf = async (body: string | Uint8Array<ArrayBuffer>) =>
      (await errorOf(call('/v1/pets', { ...post(''), body }))).message;
    expect(await messageOf('{\n  "name": "Rex",\n  "categoryId": 1,\n}')).toBe(
      'The body is not valid JSON. Line 4, column 1: property name expected.',
    );
    expect(await messageOf(Uint8Array.of(0x22, 0x0a, 0xff, 0x22))).toBe('The body is not valid UTF-8.');
    // A body may hold a secret, and a message may reach a log or a screen.
    expect(await messageOf('{"a":s3cret\u001b[31m}')).toBe(
      'The body is not valid JSON. Line 1, column 6: invalid symbol.',
    );
  });
});

describe('a body on a socket', () => {
  const limit = 64 * 1024;
  const bodyOf = (bytes: number) => {
    const empty = JSON.stringify({ ...rex, name: '' });
    return JSON.stringify({ ...rex, name: 'x'.repeat(bytes - empty.length) });
  };
  let server: Listening;
  beforeAll(() => {
    server = listen(service.app);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const inOneChunk = (pet: object) => {
    const body = JSON.stringify(pet);
    return `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  };
  const send = async (framing: string, body: string): Promise<string> => {
    const head = `POST /v1/pets HTTP/1.1\r\nHost: petstore\r\nAuthorization: Bearer ${service.apiKey}\r\nContent-Type: application/json\r\n`;
    const response = await server.exchange(`${head}${framing}\r\n\r\n${body}`);
    await checkRawResponse('POST', '/v1/pets', response);
    if (response.status === 201) return '201';
    return `${response.status} ${(JSON.parse(response.body) as { code: string }).code}`;
  };
  const withLength = (bytes: number) => send(`Content-Length: ${bytes}`, bodyOf(bytes));
  const chunked = (bytes: number, size: number) => {
    const chunks = bodyOf(bytes).match(new RegExp(`.{1,${size}}`, 'g')) ?? [];
    const framed = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('');
    return send('Transfer-Encoding: chunked', `${framed}0\r\n\r\n`);
  };

  it.each([', chunked', 'chunked,', ', CHUNKED ,'])(
    'is refused with 400 and changes nothing if its coding is "%s"',
    async (coding) => {
      const { id } = (await (await create(rex)).json()) as { id: number };
      for (const line of ['POST /v1/pets', `PATCH /v1/pets/${id}`, `DELETE /v1/pets/${id}`, 'GET /v1/pets']) {
        const head = `${line} HTTP/1.1\r\nHost: petstore\r\nAuthorization: Bearer ${service.apiKey}\r\n`;
        const framing = `Content-Type: application/json\r\nTransfer-Encoding: ${coding}\r\n\r\n`;
        const { status, body } = await server.exchange(
          `${head}${framing}${inOneChunk({ ...rex, name: 'Max' })}`,
        );
        expect([line, status, body]).toEqual([line, 400, '']);
      }
      expect(await (await call('/v1/pets?limit=100')).text()).not.toContain('Max');
      expect((await call(`/v1/pets/${id}`)).status).toBe(200);
    },
  );

  it('is accepted if its coding is chunked, in any case', async () => {
    expect(await send('Transfer-Encoding: Chunked', inOneChunk(rex))).toBe('201');
  });

  it('may have exactly 64 KiB', async () => {
    expect(await outcomeOf(create(bodyOf(limit)))).toBe('201');
    expect(await withLength(limit)).toBe('201');
  });

  it('is refused with 413 if it has one byte more', async () => {
    expect(await outcomeOf(create(bodyOf(limit + 1)))).toBe('413 payload_too_large');
    expect(await withLength(limit + 1)).toBe('413 payload_too_large');
  });

  it('has the same limit in chunks without a length', async () => {
    for (const size of [1000, limit, 2 * limit]) {
      expect(await chunked(limit, size)).toBe('201');
      expect(await chunked(limit + 1, size)).toBe('413 payload_too_large');
    }
  });

  it('has a limit of bytes, not characters', async () => {
    const body = JSON.stringify({ ...rex, name: '🐈'.repeat(limit / 4) });
    expect(body.length).toBeLessThan(limit);
    expect(await outcomeOf(create(body))).toBe('413 payload_too_large');
  });

  it('is refused by its declared length, without waiting for it', async () => {
    expect(await send('Content-Length: 9007199254740991', '{')).toBe('413 payload_too_large');
  });
});
