import { describe, expect, it } from 'bun:test';
import { connect } from 'node:net';
import { crc32 } from 'node:zlib';
import { memoryMb } from '../support/process/process-figures.ts';
import { fixedKey, makeFolder, runCli, startService, type Service } from '../support/process/process.ts';

const timeoutMs = 300_000;
const cursorCount = 60_000;
const batchSize = 50;
const mostGrowthMb = 30;

describe.skipIf(process.platform !== 'linux')('pages that nobody else asks for', () => {
  it(
    `cost at most ${mostGrowthMb} MB after 120,000 requests for pages that are empty or have one pet`,
    async () => {
      using folder = makeFolder();
      const place = ['--database-url', folder.database];
      expect(await runCli(['seed', '--count', String(cursorCount / 2), ...place])).toMatchObject({
        status: 0,
      });
      await using service = await startService({ databaseUrl: folder.database });
      // What the service needs for any load is there before.
      await requestTwice(service, 10_000, () => 'limit=1');
      const before = memoryMb(service.pid);
      // Anybody can make up a cursor: the first half leads to a pet, the other behind the last.
      await requestTwice(service, cursorCount, (index) => `limit=1&cursor=${cursorAfter(index)}`);
      expect(await settledMemoryMb(service)).toBeLessThan(before + mostGrowthMb);
    },
    timeoutMs,
  );
});

/** The least memory within a while: what the load leaves is freed at some later collection, what leaks never is. */
async function settledMemoryMb(service: Service): Promise<number> {
  let least = Infinity;
  for (let check = 0; check < 20; check++) {
    least = Math.min(least, memoryMb(service.pid));
    await requestTwice(service, batchSize, () => 'limit=1');
    await Bun.sleep(100);
  }
  return least;
}

/** As the service writes it; whoever knows the form can make one up. */
function cursorAfter(id: number): string {
  const place = `1..${id}`;
  return btoa(`${place}.${crc32(place).toString(36)}`).replace(/=+$/, '');
}

/** Asks for each page twice, many in one write, and waits for every response. */
async function requestTwice(
  service: Service,
  count: number,
  queryOf: (index: number) => string,
): Promise<void> {
  const { hostname, port } = new URL(service.url);
  const socket = connect({ host: hostname, port: Number(port) });
  const closed = Promise.withResolvers<never>();
  socket.on('close', () => closed.reject(new Error('The service closed the connection.')));
  let [received, wake] = [0, () => {}];
  let rest = '';
  socket.on('data', (chunk) => {
    const text = rest + chunk.toString('latin1');
    const statuses = text.split('HTTP/1.1 200').length - 1;
    received += statuses;
    // A status line may be cut in two.
    rest = text.slice(-('HTTP/1.1 200'.length - 1));
    wake();
  });
  for (let index = 0; index < count; index += batchSize) {
    const queries = Array.from({ length: batchSize }, (_, offset) => queryOf(index + offset));
    const texts = queries.flatMap((query) => [requestFor(query), requestFor(query)]);
    received = 0;
    socket.write(texts.join(''));
    while (received < texts.length) {
      await Promise.race([new Promise<void>((resolve) => (wake = resolve)), closed.promise]);
    }
  }
  closed.promise.catch(() => {});
  socket.destroy();
}

function requestFor(query: string): string {
  return `GET /v1/pets?${query} HTTP/1.1\r\nHost: petstore\r\nAuthorization: Bearer ${fixedKey}\r\n\r\n`;
}
