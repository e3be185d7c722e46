import { describe, expect, it } from 'bun:test';
import { createHash } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { PetstoreError } from '../../../src/domain/error.ts';
import { LargeResponses } from '../../../src/http/large-responses.ts';
import { createPet } from '../../support/changes.ts';
import { openListeningService } from '../../support/http/listening.ts';

const megabyte = 1024 * 1024;
/** More than the buffers of a socket hold, so that a response that nobody reads stays with the service. */
const responseBytes = 16 * megabyte;

const digestOf = (bytes: Uint8Array): string =>
  createHash('sha512-256').update(bytes).digest('base64url').slice(0, 32);

describe('a page', () => {
  it('has its length, its type and a SHA-512/256 of its bytes, read or cached, even beyond 128 KiB', async () => {
    await using service = await openListeningService();
    // JSON escapes these characters with six bytes each.
    const pet = createPet({ name: '\u0001'.repeat(255), categoryId: 1n });
    await Promise.all(Array.from({ length: 100 }, () => service.pets.apply(pet)));
    const headers = { Authorization: `Bearer ${service.apiKey}` };
    for (const limit of [10, 100]) {
      const url = `${service.url}/v1/pets?limit=${limit}`;
      const responses = await Promise.all(Array.from({ length: 4 }, () => fetch(url, { headers })));
      const head = await fetch(url, { method: 'HEAD', headers });
      for (const response of responses) {
        const bytes = await response.bytes();
        expect(bytes.length > 128 * 1024).toBe(limit === 100);
        expect(response.headers.get('ETag')).toStartWith(`"${digestOf(bytes)}`);
        expect(response.headers.get('Content-Length')).toBe(String(bytes.length));
        expect(response.headers.get('Transfer-Encoding')).toBeNull();
        for (const name of ['ETag', 'Content-Length', 'Content-Type'])
          expect(head.headers.get(name)).toBe(response.headers.get(name));
      }
    }
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
