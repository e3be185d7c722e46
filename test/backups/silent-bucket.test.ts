import { describe, expect, it } from 'bun:test';
import { closeSync, ftruncateSync, openSync, readdirSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { backUpTo } from '../../src/backups/add-backup.ts';
import { hashOf } from '../../src/backups/place.ts';
import { openS3 } from '../../src/backups/s3.ts';
import { noReport } from '../../src/system/progress.ts';
import { openSqliteStore } from '../../src/sqlite/open.ts';
import { failureOf } from '../support/failure.ts';
import { makeFolder } from '../support/process/process.ts';

const mebibyte = 1024 * 1024;

interface Bucket extends AsyncDisposable {
  env: Record<string, string>;
}

interface Exchange {
  /** Such as `GET /shop/a.json`. */
  line: string;
  respond: (body: string) => void;
  socket: Socket;
  /** How many bytes of the body are still to come. */
  rest: number;
}

/** A server that plays a bucket as badly as the test wants. */
async function openBucket(play: (exchange: Exchange) => void): Promise<Bucket> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    let [head, rest] = ['', 0];
    socket.on('data', (chunk) => {
      if (rest > 0) return void (rest -= chunk.length);
      head += chunk.toString('latin1');
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      const [, method, target = ''] = /^(\S+) (\S+)/.exec(head) ?? [];
      const pathname = new URL(target, 'http://shop').pathname.replace(/\/$/, '');
      rest = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0) - (head.length - end - 4);
      head = '';
      play({
        line: `${method} ${pathname}`,
        socket,
        rest,
        respond: (body) =>
          socket.write(`HTTP/1.1 200 OK\r\nETag: "1"\r\nContent-Length: ${body.length}\r\n\r\n${body}`),
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    env: { S3_ENDPOINT: `http://127.0.0.1:${port}`, S3_ACCESS_KEY_ID: 'a', S3_SECRET_ACCESS_KEY: 'b' },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const emptyList = '<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>';

describe('a bucket that falls silent', () => {
  it.each([
    ['at once', () => false],
    ['before an upload', ({ line }: Exchange) => line === 'GET /shop'],
    ['in an upload', ({ line }: Exchange) => line.startsWith('GET')],
  ])('%s fails a backup, with at most one request after that', async (_, responds) => {
    using folder = makeFolder();
    await openSqliteStore({ path: folder.database }).close();
    let silent = 0;
    await using bucket = await openBucket((exchange) => {
      if (!responds(exchange)) silent += 1;
      else exchange.respond(emptyList);
    });
    const place = openS3('s3://shop/x', bucket.env, 300);
    const work = { place, store: folder.database, keep: undefined, report: noReport };
    expect(String(await failureOf(backUpTo(work)))).toContain('cannot be used (silent for 0.3 seconds).');
    // Each waits 25 seconds outside of tests: within a minute, all have failed.
    expect(silent).toBeLessThanOrEqual(2);
    expect(readdirSync(folder.path).filter((name) => name.includes('uploading'))).toEqual([]);
  });

  it('in the middle of a list, a manifest or a backup fails', async () => {
    await using bucket = await openBucket(({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n<List');
    });
    using folder = makeFolder();
    const place = openS3('s3://shop/x', bucket.env, 300);
    for (const work of [place.list(), place.read('a'), place.fetch('a', folder.database)]) {
      expect(String(await failureOf(work))).toContain('cannot be used (silent for 0.3 seconds).');
    }
  });
});

describe('a slow line', () => {
  it('takes a large backup as long as it moves', async () => {
    const [silenceMs, size] = [3000, 22 * mebibyte];
    let parts = 0;
    await using bucket = await openBucket(({ line, rest, socket, respond }) => {
      if (line.startsWith('GET')) {
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n`);
        socket.write(Buffer.alloc(size));
      } else if (line.startsWith('POST')) {
        respond('<InitiateMultipartUploadResult><UploadId>1</UploadId></InitiateMultipartUploadResult>');
      } else {
        let left = rest;
        const onData = (chunk: Uint8Array): void => {
          left -= chunk.length;
          if (left > 0) return;
          socket.off('data', onData);
          parts += 1;
          setTimeout(() => respond(''), silenceMs / 2);
        };
        socket.on('data', onData);
      }
    });
    using folder = makeFolder();
    const place = openS3('s3://shop/x', bucket.env, silenceMs);
    const sha256 = await hashOf(new Blob([new Uint8Array(size)]).stream());
    const startedAt = performance.now();
    await place.add('a', folder.database, async (draft) => {
      const file = openSync(draft, 'w');
      ftruncateSync(file, size);
      closeSync(file);
      return { sha256 };
    });
    expect(parts).toBeGreaterThanOrEqual(4);
    expect(performance.now() - startedAt).toBeGreaterThan(1.5 * silenceMs);
  });
});
