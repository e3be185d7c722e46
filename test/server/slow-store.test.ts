import { describe, expect, it } from 'bun:test';
import { handlingTimeoutSeconds, openListener } from '../../src/server/listener.ts';
import { limits, servingTimeouts } from '../../src/stores/postgres/session.ts';
import { openConnection } from '../support/http/raw-http.ts';

/** The runtime closes a connection that may be idle for ten seconds after twelve at the latest. */
const slowMs = 13_000;

async function send(url: URL, path: string, head = '') {
  const connection = (await openConnection(url.origin))!;
  connection.write(`PUT ${path} HTTP/1.1\r\nHost: petstore\r\n${head}\r\n`);
  return connection;
}

describe('a request that takes longer than a connection may be idle', () => {
  it('gets its response, while a connection that is idle after a response is closed', async () => {
    const listener = openListener({
      options: { host: '127.0.0.1', port: 0 },
      tls: undefined,
      async fetch(request) {
        await Bun.sleep(request.url.endsWith('/slow') ? slowMs : 1);
        return new Response('deleted');
      },
    });
    try {
      using slow = await send(listener.url, '/slow');
      // The runtime sets no limit once it has read a whole body; of this one, nothing arrives.
      using stalled = await send(listener.url, '/slow', 'Content-Length: 2\r\n');
      using idle = await send(listener.url, '/');
      expect(await idle.receive()).toMatchObject({ status: 200 });
      const startedAt = performance.now();
      expect(await idle.receive()).toBe('unanswered');
      expect(performance.now() - startedAt).toBeLessThan((handlingTimeoutSeconds * 1000) / 2);
      expect(await slow.receive()).toMatchObject({ status: 200 });
      expect(await stalled.receive()).toMatchObject({ status: 200 });
    } finally {
      await listener.stop(true);
    }
  });

  it('is over before its connection is closed, however long PostgreSQL takes', () => {
    const { queueMs, retryMs, sessionMs, commitMs } = limits;
    const readMs = queueMs + retryMs + 2 * sessionMs + servingTimeouts.silenceMs;
    // The statements that travel with COMMIT, then COMMIT itself.
    const writeMs = readMs + 2 * commitMs;
    // The key is read before anything else, and after a wait for events once more.
    const eventsMs = readMs + 5000 + readMs;
    const longestMs = readMs + Math.max(writeMs, eventsMs);
    expect(longestMs).toBeLessThan(handlingTimeoutSeconds * 1000);
  });
});
