import { describe, expect, it } from 'bun:test';
import type { NewPet } from '../../src/client/index.ts';
import { backoffMs, parseRetryAfter } from '../../src/client/wait.ts';
import { clientThrough } from '../support/http/bad-connection.ts';
import { openFaultyProxy } from '../support/http/faulty-proxy.ts';
import { failureOf } from '../support/failure.ts';
import { openListeningService } from '../support/http/listening.ts';

const rex: NewPet = { name: 'Rex', categoryId: 2n ** 63n - 1n, status: 'available' };

describe('reads over a bad connection', () => {
  it('walks over all pages in spite of faults between them', async () => {
    await using service = await openListeningService();
    const created = [];
    for (let count = 0; count < 6; count++) created.push(await service.client.createPet(rex));
    await using proxy = await openFaultyProxy(service.port, [
      'pass',
      'cut-midway',
      503,
      'pass',
      'cut-request',
    ]);
    expect(await Array.fromAsync(clientThrough(service, proxy.url).pets({ limit: 2 }))).toEqual(created);
  });

  it('repeats after a timeout', async () => {
    await using service = await openListeningService();
    await using proxy = await openFaultyProxy(service.port, ['stall']);
    expect(await clientThrough(service, proxy.url, 500).listPets()).toEqual({ pets: [] });
    expect(proxy.connections).toBeGreaterThanOrEqual(2);
  });

  it('keeps trying for as long as it was told to, and no longer', async () => {
    await using service = await openListeningService();
    let attempts = 0;
    const client = service.clientWith({
      retryForMs: 400,
      fetch: () => {
        attempts += 1;
        return Promise.reject(new Error('no connection'));
      },
    });
    const startedAt = performance.now();
    expect(await failureOf(client.createPet(rex))).toMatchObject({ code: 'network' });
    // Its pauses are 1, 2, 4, … 256 ms at most, each at least half of that.
    expect(attempts).toBeGreaterThanOrEqual(8);
    expect(performance.now() - startedAt).toBeGreaterThan(100);
  });

  it('repeats nothing when it was told so', async () => {
    await using service = await openListeningService();
    let attempts = 0;
    const client = service.clientWith({
      retryForMs: 0,
      fetch: () => {
        attempts += 1;
        return Promise.reject(new Error('no connection'));
      },
    });
    expect(await failureOf(client.listPets())).toMatchObject({ code: 'network' });
    expect(attempts).toBe(1);
  });

  it('fails with timeout when no answer ever comes', async () => {
    await using service = await openListeningService();
    await using proxy = await openFaultyProxy(service.port, ['stall', 'stall']);
    const client = service.clientWith({ baseUrl: proxy.url, timeoutMs: 50, retryForMs: 20 });
    expect(await failureOf(client.listPets())).toMatchObject({ code: 'timeout', status: undefined });
  });

  it('does not repeat what would fail again', async () => {
    await using service = await openListeningService();
    await using proxy = await openFaultyProxy(service.port, []);
    const client = service.clientWith({ baseUrl: proxy.url, apiKey: 'wrong' });
    expect(await failureOf(client.listPets())).toMatchObject({ code: 'invalid_api_key' });
    await client.listPets().catch(() => {});
    expect(proxy.connections).toBeLessThanOrEqual(2);
  });
});

describe('Retry-After', () => {
  const waiting = (retryAfter: string) => async () =>
    new Response('{"code":"rate_limited","message":"Slow down.","status":429}', {
      status: 429,
      headers: { 'Retry-After': retryAfter },
    });

  it('is waited for', async () => {
    await using service = await openListeningService();
    const answeredAt: number[] = [];
    const client = service.clientWith({
      fetch: (url, init) => {
        answeredAt.push(performance.now());
        return answeredAt.length === 1 ? waiting('1')() : fetch(url, init);
      },
    });
    await client.listPets();
    expect(answeredAt[1]! - answeredAt[0]!).toBeGreaterThanOrEqual(990);
  });

  it('is left to the caller when it is too long', async () => {
    await using service = await openListeningService();
    const client = service.clientWith({ fetch: waiting('3600') });
    expect(await failureOf(client.listPets())).toMatchObject({
      code: 'rate_limited',
      retryAfterMs: 3_600_000,
    });
  });

  it('is read as seconds and as a date', () => {
    const now = Date.parse('2026-11-14T00:00:00Z');
    expect(parseRetryAfter('3', now)).toBe(3000);
    expect(parseRetryAfter('Sat, 14 Nov 2026 00:00:05 GMT', now)).toBe(5000);
    expect(parseRetryAfter('Fri, 13 Nov 2026 00:00:00 GMT', now)).toBe(0);
    expect([parseRetryAfter('soon', now), parseRetryAfter(null, now)]).toEqual([undefined, undefined]);
  });

  it('comes on top of a pause that doubles up to a bound and varies', () => {
    for (const [failures, ceilingMs] of [
      [0, 100],
      [1, 200],
      [3, 800],
      [50, 5000],
    ] as const) {
      const pauses = Array.from({ length: 50 }, () => backoffMs(failures, 100, 7000));
      expect(Math.min(...pauses)).toBeGreaterThanOrEqual(7000 + ceilingMs / 2);
      expect(Math.max(...pauses)).toBeLessThanOrEqual(7000 + ceilingMs);
      expect(new Set(pauses).size).toBeGreaterThan(1);
    }
  });
});

describe('signal', () => {
  it('ends a call that waits for its answer', async () => {
    await using service = await openListeningService();
    await using proxy = await openFaultyProxy(service.port, ['stall']);
    const controller = new AbortController();
    const call = service.clientWith({ baseUrl: proxy.url }).listPets({ signal: controller.signal });
    controller.abort(new Error('changed my mind'));
    expect(await failureOf(call)).toHaveProperty('message', 'changed my mind');
  });

  it('ends a pause before a repetition', async () => {
    await using service = await openListeningService();
    const controller = new AbortController();
    const client = service.clientWith({
      retryDelayMs: 600_000,
      fetch: async () => {
        setTimeout(() => controller.abort(), 10);
        throw new Error('no connection');
      },
    });
    expect(String(await failureOf(client.createPet(rex, { signal: controller.signal })))).toMatch(/abort/i);
  });

  it('that is aborted already lets nothing be sent', async () => {
    await using service = await openListeningService();
    let calls = 0;
    const client = service.clientWith({
      fetch: (url, init) => {
        calls += 1;
        return fetch(url, init);
      },
    });
    expect(String(await failureOf(client.listPets({ signal: AbortSignal.abort() })))).toMatch(/abort/i);
    expect(calls).toBe(0);
  });
});
