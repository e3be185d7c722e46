import { afterAll, describe, expect, it } from 'bun:test';
import { maxBodyBytes } from '../../../src/domain/pet.ts';
import { maxDiscardedBytes } from '../../../src/http/body.ts';
import { openConnection } from '../../support/http/raw-http.ts';
import { checkRawResponse } from '../../support/http/socket.ts';
import { openListeningService } from '../../support/http/listening.ts';

/** A caller that sends megabytes and reads only then must find the response, not a reset connection. */

const service = await openListeningService();
afterAll(() => service[Symbol.asyncDispose]());

const megabytes = Buffer.alloc(6 * 1024 * 1024, ' ');

function counted(body: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]);
}

function inChunks(body: Uint8Array): Buffer {
  const parts: Uint8Array[] = [Buffer.from('Transfer-Encoding: chunked\r\n\r\n')];
  for (let at = 0; at < body.length; at += 50_000) {
    const part = body.subarray(at, at + 50_000);
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n'));
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
}

interface Refusal {
  status: number;
  method?: string;
  path?: string;
  key?: string;
  type?: string;
}

const head = ({
  method = 'POST',
  path = '/v1/pets',
  key = service.apiKey,
  type = 'application/json',
}: Refusal) =>
  Buffer.from(
    `${method} ${path} HTTP/1.1\r\nHost: petstore\r\nAuthorization: Bearer ${key}\r\nContent-Type: ${type}\r\n`,
  );

const refusals: Refusal[] = [
  { status: 413 },
  { status: 415, type: 'text/plain' },
  { status: 401, key: 'pets_wrong' },
  { status: 404, path: '/v1/nowhere' },
  { status: 405, method: 'PUT' },
];

describe('a body of several megabytes', () => {
  for (const [form, framed] of [
    ['with a length', counted],
    ['in chunks', inChunks],
  ] as const) {
    for (const refusal of refusals) {
      it(`${form} always gets its ${refusal.status}`, async () => {
        const { status, method = 'POST', path = '/v1/pets' } = refusal;
        const bytes = Buffer.concat([head(refusal), framed(megabytes)]);
        for (let attempt = 0; attempt < 5; attempt++) {
          const response = await service.exchange(bytes, { readsLast: true });
          expect(response.status).toBe(status);
          await checkRawResponse(method, path, response);
        }
      });
    }

    it(`${form} leaves its connection usable once it was read`, async () => {
      using connection = await openConnection(service.url);
      connection?.write(Buffer.concat([head({ status: 413 }), framed(megabytes)]).toString('latin1'));
      expect(await connection?.receive()).toMatchObject({ status: 413 });
      expect(await connection?.send('GET', '/v1/pets', { key: service.apiKey })).toMatchObject({
        status: 200,
      });
    });

    it(`${form} is 413 from the first byte past the limit`, async () => {
      const sized = (bytes: number) => Buffer.from('{"name":"Rex","categoryId":1}'.padEnd(bytes));
      const statusOf = async (bytes: number) =>
        (await service.exchange(Buffer.concat([head({ status: 413 }), framed(sized(bytes))]))).status;
      expect(await statusOf(maxBodyBytes)).toBe(201);
      expect(await statusOf(maxBodyBytes + 1)).toBe(413);
    });
  }
});

describe('a body that is too long to be read', () => {
  it('is refused at once when its length says so, and its connection closes', async () => {
    const length = `Content-Length: ${maxDiscardedBytes + 1}\r\n\r\n`;
    const response = await service.exchange(Buffer.concat([head({ status: 413 }), Buffer.from(length)]));
    expect(response.status).toBe(413);
    expect(response.headers.get('Connection')).toBe('close');
  });

  it('is refused when it has become too long, and its connection closes', async () => {
    const tooLong = Buffer.alloc(maxDiscardedBytes + 100_000, ' ');
    const response = await service.exchange(Buffer.concat([head({ status: 413 }), inChunks(tooLong)]));
    expect(response.status).toBe(413);
    expect(response.headers.get('Connection')).toBe('close');
  });
});
