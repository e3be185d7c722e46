import { describe, expect, it } from 'bun:test';
import { openService, type Service } from '../../support/http/service.ts';

const encoder = new TextEncoder();

/** Spaces that never end, or a pet that is whole after this time. */
function slowBody(wholeAfterMs = Infinity): ReadableStream<Uint8Array> {
  const startedAt = performance.now();
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      await Bun.sleep(1);
      const isWhole = performance.now() - startedAt > wholeAfterMs;
      controller.enqueue(encoder.encode(isWhole ? '{"name":"Rex","categoryId":1}' : ' '));
      if (isWhole) controller.close();
    },
  });
}

function send(service: Service, body: ReadableStream<Uint8Array>): Promise<Response> {
  return service.call('/v1/pets', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
}

describe('POST /v1/pets', () => {
  it('refuses a body that does not end in time, and closes its connection', async () => {
    await using service = await openService({ bodyTimeoutMs: 20 });
    const response = await send(service, slowBody());
    expect(response.status).toBe(408);
    expect(response.headers.get('Connection')).toBe('close');
    expect(await response.json()).toEqual({
      code: 'request_timeout',
      message: 'The body took too long to arrive. Send the request again.',
      status: 408,
    });
  });

  it('gives every body its full time, whenever it begins', async () => {
    await using service = await openService({ bodyTimeoutMs: 2000 });
    const timed = async (body: ReadableStream<Uint8Array>): Promise<[number, number]> => {
      const startedAt = performance.now();
      const { status } = await send(service, body);
      return [status, performance.now() - startedAt];
    };
    const endless = timed(slowBody());
    const inTime = timed(slowBody(20));
    await Bun.sleep(1000);
    // It would be too late if it shared the time of the first.
    const later = timed(slowBody(1200));
    const endlessToo = timed(slowBody());
    expect((await inTime)[0]).toBe(201);
    expect((await later)[0]).toBe(201);
    for (const [status, tookMs] of [await endless, await endlessToo]) {
      expect(status).toBe(408);
      expect(tookMs).toBeGreaterThanOrEqual(1999);
    }
  });
});
