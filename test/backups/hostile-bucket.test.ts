import { describe, expect, it } from 'bun:test';
import { closeSync, ftruncateSync, openSync, readdirSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { backUpTo } from '../../src/backups/add-backup.ts';
import { listBackups } from '../../src/backups/catalog.ts';
import { manifestOf, nameBackup, renderManifest } from '../../src/backups/manifest.ts';
import { hashOf } from '../../src/backups/place.ts';
import { openS3 } from '../../src/backups/s3.ts';
import { noReport } from '../../src/system/progress.ts';
import { openSqliteStore } from '../../src/sqlite/open.ts';
import { failureOf } from '../support/failure.ts';
import { makeFolder } from '../support/process/process.ts';

const mebibyte = 1024 * 1024;
/** What a reader that gives up may leave in the buffers of two sockets. */
const maxSent = 32 * mebibyte;

interface Bucket extends AsyncDisposable {
  env: Record<string, string>;
  /** `GET /shop?…`, in order. */
  requests: string[];
  /** How many bytes the last endless body has sent. */
  sent: () => number;
}

interface Exchange {
  /** Such as `GET /shop/a.json`. */
  line: string;
  query: URLSearchParams;
  respond: (body: string) => void;
  /** Begins a response and goes on until the reader leaves. */
  pour: () => void;
  socket: Socket;
  /** How many bytes of the body are still to come. */
  rest: number;
}

/** A server that plays a bucket as badly as the test wants. */
async function openBucket(play: (exchange: Exchange) => void): Promise<Bucket> {
  const sockets = new Set<Socket>();
  const requests: string[] = [];
  let sent = 0;
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
      const { pathname: path, searchParams: query } = new URL(target, 'http://shop');
      const pathname = path.replace(/\/$/, '');
      rest = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0) - (head.length - end - 4);
      head = '';
      requests.push(`${method} ${pathname}`);
      play({
        line: `${method} ${pathname}`,
        query,
        socket,
        rest,
        respond: (body) =>
          socket.write(`HTTP/1.1 200 OK\r\nETag: "1"\r\nContent-Length: ${body.length}\r\n\r\n${body}`),
        pour() {
          sent = 0;
          socket.write('HTTP/1.1 200 OK\r\nContent-Length: 4000000000\r\n\r\n');
          const more = (): void => {
            while (!socket.destroyed && sent < 4e9) {
              sent += mebibyte;
              if (!socket.write(Buffer.alloc(mebibyte, 'x'))) return void socket.once('drain', more);
            }
          };
          more();
        },
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    env: { S3_ENDPOINT: `http://127.0.0.1:${port}`, S3_ACCESS_KEY_ID: 'a', S3_SECRET_ACCESS_KEY: 'b' },
    requests,
    sent: () => sent,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const listOf = (files: Record<string, number>, token?: string): string => {
  const contents = Object.entries(files).map(
    ([name, size]) => `<Contents><Key>x/${name}</Key><Size>${size}</Size></Contents>`,
  );
  const more = token === undefined ? '' : `<NextContinuationToken>${token}</NextContinuationToken>`;
  return `<ListBucketResult><IsTruncated>${token !== undefined}</IsTruncated>${contents.join('')}${more}</ListBucketResult>`;
};

const createdAt = new Date('2026-11-16T12:00:00Z');
const nothing = { createdAt, bytes: 3, sha256: '0'.repeat(64), petCount: 0, orderCount: 0, keyCount: 0 };
const [good, bad] = [nameBackup(createdAt), nameBackup(createdAt)];

describe('a bucket with a huge manifest', () => {
  it.each([
    ['lists it as huge', 4e9],
    ['lists it as small', 500],
  ])('is read without it, with a warning, if it %s', async (_, listed) => {
    await using bucket = await openBucket(({ line, respond, pour }) => {
      const manifests = { [manifestOf(good)]: 500, [manifestOf(bad)]: listed };
      if (line === 'GET /shop') respond(listOf({ [good]: 3, [bad]: 3, ...manifests }));
      else if (line.endsWith(manifestOf(good))) respond(renderManifest({ name: good, ...nothing }));
      else pour();
    });
    const warnings: string[] = [];
    const backups = await listBackups(openS3('s3://shop/x', bucket.env), (text) => warnings.push(text));
    expect(backups.map(({ name }) => name)).toEqual([good]);
    expect(warnings).toEqual([`${manifestOf(bad)} in s3://shop/x is larger than 64 KiB and ignored.`]);
    expect(bucket.sent()).toBeLessThan(maxSent);
    expect(bucket.requests).toHaveLength(listed > 500 ? 2 : 3);
  });
});

describe('a bucket whose list never ends', () => {
  it('is refused when a continuation token comes twice', async () => {
    await using bucket = await openBucket(({ query, respond }) =>
      respond(listOf({}, query.get('continuation-token') === 'a&b' ? 'c' : 'a&amp;b')),
    );
    const failure = await failureOf(openS3('s3://shop/x', bucket.env).list());
    expect(String(failure)).toContain(
      'cannot be used (its list never ends: a continuation token came twice).',
    );
    expect(bucket.requests).toHaveLength(3);
  });
});

describe('a bucket that falls silent', () => {
  it.each([
    ['at once', () => false],
    ['before an upload', ({ line }: Exchange) => line === 'GET /shop'],
    ['in an upload', ({ line }: Exchange) => line.startsWith('GET')],
  ])('fails a backup, with at most one more request, if that is %s', async (_, responds) => {
    using folder = makeFolder();
    await openSqliteStore({ path: folder.database }).close();
    let silent = 0;
    await using bucket = await openBucket((exchange) => {
      if (!responds(exchange)) silent += 1;
      else exchange.respond(listOf({}));
    });
    const place = openS3('s3://shop/x', bucket.env, 300);
    const work = { place, store: folder.database, keep: undefined, report: noReport };
    expect(String(await failureOf(backUpTo(work)))).toContain('cannot be used (silent for 0.3 seconds).');
    // Each waits 25 seconds outside of tests: within a minute, all have failed.
    expect(silent).toBeLessThanOrEqual(2);
    expect(readdirSync(folder.path).filter((name) => name.includes('uploading'))).toEqual([]);
  });

  it('fails a list, a manifest or a backup that it cuts off in the middle', async () => {
    await using bucket = await openBucket(({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n<List');
    });
    using folder = makeFolder();
    const place = openS3('s3://shop/x', bucket.env, 300);
    for (const work of [place.list(), place.read('a', 1000), place.fetch('a', folder.database)]) {
      expect(String(await failureOf(work))).toContain('cannot be used (silent for 0.3 seconds).');
    }
  });
});

describe('a slow line', () => {
  it('takes a large backup as long as bytes keep moving', async () => {
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
