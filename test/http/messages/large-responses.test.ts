import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createHash } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { PetstoreError } from '../../../src/domain/error.ts';
import { LargeResponses } from '../../../src/http/large-responses.ts';
import { post } from '../../support/http/calls.ts';
import { startService, type Service } from '../../support/process/process.ts';

const megabyte = 1024 * 1024;
/** More than the buffers of a socket hold, so that a response that nobody reads stays with the service. */
const responseBytes = 16 * megabyte;

const digestOf = (bytes: Uint8Array): string =>
  createHash('sha512-256').update(bytes).digest('base64url').slice(0, 32);

describe('a page that is longer than 128 KiB', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
    // JSON escapes these characters with six bytes each.
    const body = post({ name: '\u0001'.repeat(255), categoryId: 1 });
    await Promise.all(Array.from({ length: 100 }, () => service.call('/v1/pets', body)));
  });
  afterAll(() => service[Symbol.asyncDispose]());

  it('has its length, type and ETag, whether it is read or cached', async () => {
    const responses = await Promise.all(Array.from({ length: 5 }, () => service.call('/v1/pets?limit=100')));
    for (const response of responses) {
      const bytes = await response.bytes();
      expect(bytes.length).toBeGreaterThan(128 * 1024);
      expect(response.headers.get('Content-Length')).toBe(String(bytes.length));
      expect(response.headers.get('Content-Type')).toBe('application/json');
      expect(response.headers.get('Transfer-Encoding')).toBeNull();
      expect(response.headers.get('ETag')).toBe(responses[0]!.headers.get('ETag'));
    }
  });

  it('has a SHA-512/256 of its bytes as its ETag, kept as text and as bytes', async () => {
    for (const limit of [10, 100]) {
      const tags = new Set<string | null>();
      for (let time = 0; time < 4; time++) {
        const response = await service.call(`/v1/pets?limit=${limit}`);
        tags.add(response.headers.get('ETag'));
        expect(response.headers.get('ETag')).toStartWith(`"${digestOf(await response.bytes())}`);
      }
      expect(tags.size).toBe(1);
    }
  });

  it('is the same for HEAD, and 304 for a caller who holds it', async () => {
    const whole = await service.call('/v1/pets?limit=100');
    const head = await service.call('/v1/pets?limit=100', { method: 'HEAD' });
    expect(head.headers.get('Content-Length')).toBe(whole.headers.get('Content-Length'));
    const headers = { 'If-None-Match': whole.headers.get('ETag') ?? '' };
    expect((await service.call('/v1/pets?limit=100', { headers })).status).toBe(304);
  });
});

describe('large responses that nobody reads', () => {
  it('are refused past the limit, and make room when a reader leaves', async () => {
    using server = serveLong(2.5 * responseBytes);
    const readers = [await askAndReadNothing(server), await askAndReadNothing(server)];
    try {
      expect(await statusOf(server)).toBe(503);
      readers[0]!.destroy();
      while ((await statusOf(server)) !== 200) await Bun.sleep(20);
    } finally {
      for (const reader of readers) reader.destroy();
    }
  });

  it('are counted in bytes, up to three for each wide character', () => {
    const responses = new LargeResponses(() => false, 400_000);
    const request = new Request('http://petstore/');
    responses.add(request, '犬'.repeat(100_000));
    responses.add(request, 'x'.repeat(100_000));
    expect(() => responses.add(request, '犬'.repeat(100_000))).toThrow(PetstoreError);
  });

  it('leave nothing behind once they are read', async () => {
    using server = serveLong(1.5 * responseBytes);
    for (let time = 0; time < 5; time++) expect(await statusOf(server)).toBe(200);
  });
});

function serveLong(maxBytes: number) {
  const responses = new LargeResponses((request) => server.requestIP(request) === null, maxBytes);
  const body = 'x'.repeat(responseBytes);
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 60,
    fetch(request) {
      try {
        responses.add(request, body);
        return new Response(body);
      } catch (error) {
        return new Response(null, { status: error instanceof PetstoreError ? error.status : 500 });
      }
    },
  });
  return { port: server.port ?? 0, url: server.url.href, [Symbol.dispose]: () => void server.stop(true) };
}

/** Resolves when the response has begun. */
function askAndReadNothing({ port }: { port: number }): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('error', () => {});
  socket.write(`GET / HTTP/1.1\r\nHost: petstore\r\n\r\n`);
  return new Promise((resolve) => {
    socket.once('readable', () => resolve(socket));
  });
}

async function statusOf({ url }: { url: string }): Promise<number> {
  const response = await fetch(url);
  await response.arrayBuffer();
  return response.status;
}
