import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { hash } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { PetstoreError } from '../../../src/error.ts';
import { LargeAnswers } from '../../../src/http/large-responses.ts';
import { post } from '../../support/http/calls.ts';
import { startService, type Service } from '../../support/process/process.ts';

const megabyte = 1024 * 1024;
/** More than the buffers of a socket hold, so that an answer that nobody reads stays with the service. */
const answerBytes = 16 * megabyte;

const sha256 = (bytes: Uint8Array): string => hash('sha256', bytes, 'base64url').slice(0, 22);

describe('a page that is longer than 128 KiB', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
    for (const letter of 'xé犬'.repeat(3).split('')) {
      await service.call('/v1/pets', post({ name: letter.repeat(20_000), categoryId: 1 }));
    }
  });
  afterAll(() => service[Symbol.asyncDispose]());

  it('has its length, type and validator, whether it is read for the first time or kept', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => service.call('/v1/pets')));
    for (const answer of answers) {
      const bytes = await answer.bytes();
      expect(bytes.length).toBeGreaterThan(128 * 1024);
      expect(answer.headers.get('Content-Length')).toBe(String(bytes.length));
      expect(answer.headers.get('Content-Type')).toBe('application/json');
      expect(answer.headers.get('Transfer-Encoding')).toBeNull();
      expect(answer.headers.get('ETag')).toBe(answers[0]!.headers.get('ETag'));
    }
  });

  it('has a validator that withstands an adversary, as text and as bytes', async () => {
    // Four pets have 80,000 letters and 140,000 bytes; a page is kept as bytes from the second time on.
    for (const limit of [4, 9]) {
      const tags = new Set<string | null>();
      for (let time = 0; time < 4; time++) {
        const answer = await service.call(`/v1/pets?limit=${limit}`);
        tags.add(answer.headers.get('ETag'));
        expect(answer.headers.get('ETag')).toStartWith(`"${sha256(await answer.bytes())}`);
      }
      expect(tags.size).toBe(1);
    }
  });

  it('is the same for HEAD, and 304 for who holds it', async () => {
    const whole = await service.call('/v1/pets');
    const head = await service.call('/v1/pets', { method: 'HEAD' });
    expect(head.headers.get('Content-Length')).toBe(whole.headers.get('Content-Length'));
    const headers = { 'If-None-Match': whole.headers.get('ETag') ?? '' };
    expect((await service.call('/v1/pets', { headers })).status).toBe(304);
  });
});

describe('long answers that nobody reads', () => {
  it('are held once for all who wait, refused past the limit, and make room when a reader goes', async () => {
    using server = serveLong(2.5 * answerBytes);
    const first = await askAndReadNothing(server, 'a');
    const readers = [first, await askAndReadNothing(server, 'b')];
    try {
      expect(await statusOf(server, 'c')).toBe(503);
      expect(await statusOf(server, 'a')).toBe(200);
      expect(await statusOf(server, 'b')).toBe(200);
      first.destroy();
      while ((await statusOf(server, 'c')) !== 200) await Bun.sleep(20);
    } finally {
      for (const reader of readers) reader.destroy();
    }
  });

  it('count by their bytes, which wide text has up to three of for a character', () => {
    const answers = new LargeAnswers(() => false, answerBytes);
    const request = new Request('http://petstore/');
    expect(answers.bodyOf('x'.repeat(100_000), '"short"', request)).toBeString();
    expect(answers.bodyOf('犬'.repeat(100_000), '"wide"', request)).toBeInstanceOf(Blob);
  });

  it('leave nothing behind once they are read', async () => {
    using server = serveLong(1.5 * answerBytes);
    const statuses = new Set<number>();
    for (const path of ['a', 'b', 'c', 'd', 'e']) statuses.add(await statusOf(server, path));
    expect(statuses).toEqual(new Set([200]));
  });
});

/** Each path is an answer of its own. */
function serveLong(maxBytes: number) {
  const answers = new LargeAnswers((request) => server.requestIP(request) === null, maxBytes);
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 60,
    fetch(request) {
      const ETag = new URL(request.url).pathname;
      try {
        const body = ETag.repeat(answerBytes / ETag.length);
        return new Response(answers.bodyOf(body, ETag, request));
      } catch (error) {
        return new Response(null, { status: error instanceof PetstoreError ? error.status : 500 });
      }
    },
  });
  return { port: server.port ?? 0, url: server.url.href, [Symbol.dispose]: () => void server.stop(true) };
}

/** Resolves when the answer has begun. */
function askAndReadNothing({ port }: { port: number }, path: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('error', () => {});
  socket.write(`GET /${path} HTTP/1.1\r\nHost: petstore\r\n\r\n`);
  return new Promise((resolve) => {
    socket.once('readable', () => resolve(socket));
  });
}

async function statusOf({ url }: { url: string }, path: string): Promise<number> {
  const response = await fetch(`${url}${path}`);
  await response.arrayBuffer();
  return response.status;
}
