import { describe, expect, it } from 'bun:test';
import type { NewPet, PetstoreClient } from '../src/index.ts';
import { backoffMs, parseRetryAfter } from '../src/wire/wait.ts';
import { openFaultyProxy, type Fault } from '../../../test/support/http/faulty-proxy.ts';
import { failureOf } from '../../../test/support/failure.ts';
import { openListeningService, type ListeningService } from '../../../test/support/http/listening.ts';

const rex: NewPet = { name: 'Rex', categoryId: 2n ** 63n - 1n, status: 'available' };

/** A client that opens a connection for each attempt, so that each meets the next fault of the proxy. */
function clientThrough(service: ListeningService, baseUrl: string, timeoutMs = 10_000): PetstoreClient {
  const options = { keepalive: false };
  return service.clientWith({
    baseUrl,
    timeoutMs,
    fetch: (url, init) => fetch(url, { ...init, ...options }),
  });
}

/** A fetch that never connects. */
function countedFailure() {
  const counted = {
    attempts: 0,
    fetch: () => {
      counted.attempts += 1;
      return Promise.reject(new Error('no connection'));
    },
  };
  return counted;
}

describe('createPet over a bad connection', () => {
  const faultSequences: Fault[][] = [
    ['cut-request'],
    ['cut-response'],
    ['cut-midway'],
    [503],
    [429],
    [502],
    ['cut-response', 503, 'cut-midway', 'cut-request', 'cut-response'],
  ];
  for (const faults of faultSequences) {
    it(`adds exactly one pet after ${faults.join(', ')}`, async () => {
      await using service = await openListeningService();
      await using proxy = await openFaultyProxy(service.port, faults);
      const { replayed, ...created } = await clientThrough(service, proxy.url).createPet(rex);
      expect(await Array.fromAsync(service.client.pets())).toEqual([created]);
      // The first attempt whose response was lost had added it.
      const isReplayed = faults.some((fault) => fault === 'cut-response' || fault === 'cut-midway');
      expect(replayed).toBe(isReplayed ? true : undefined);
      expect(proxy.connections).toBe(faults.length + 1);
    });
  }
});

describe('reads over a bad connection', () => {
  it('visits all pages despite faults between them', async () => {
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

  it('retries after a timeout', async () => {
    await using service = await openListeningService();
    await using proxy = await openFaultyProxy(service.port, ['stall']);
    expect(await clientThrough(service, proxy.url, 500).listPets()).toEqual({ pets: [] });
    expect(proxy.connections).toBeGreaterThanOrEqual(2);
  });

  it('retries for retryForMs and no longer', async () => {
    await using service = await openListeningService();
    const failing = countedFailure();
    const client = service.clientWith({ retryForMs: 2000, fetch: failing.fetch });
    const startedAt = performance.now();
    expect(await failureOf(client.createPet(rex))).toMatchObject({ code: 'network' });
    // The pauses are at most 1, 2, 4, … 1024 ms, and at least half of that.
    expect(failing.attempts).toBeGreaterThanOrEqual(8);
    expect(performance.now() - startedAt).toBeGreaterThan(500);
  });

  it('never retries when retryForMs is 0', async () => {
    await using service = await openListeningService();
    const failing = countedFailure();
    const client = service.clientWith({ retryForMs: 0, fetch: failing.fetch });
    expect(await failureOf(client.listPets())).toMatchObject({ code: 'network' });
    expect(failing.attempts).toBe(1);
  });

  it('does not retry what would fail again', async () => {
    await using service = await openListeningService();
    await using proxy = await openFaultyProxy(service.port, []);
    const client = service.clientWith({ baseUrl: proxy.url, apiKey: 'wrong' });
    expect(await failureOf(client.listPets())).toMatchObject({ code: 'invalid_api_key' });
    expect(proxy.connections).toBe(1);
  });
});

describe('Retry-After', () => {
  const rateLimited = (retryAfter: string) => async () =>
    new Response('{"code":"rate_limited","message":"Slow down.","status":429}', {
      status: 429,
      headers: { 'Retry-After': retryAfter },
    });

  it('delays the next attempt', async () => {
    await using service = await openListeningService();
    const calledAt: number[] = [];
    const client = service.clientWith({
      fetch: (url, init) => {
        calledAt.push(performance.now());
        return calledAt.length === 1 ? rateLimited('1')() : fetch(url, init);
      },
    });
    await client.listPets();
    expect(calledAt[1]! - calledAt[0]!).toBeGreaterThanOrEqual(990);
  });

  it('fails the call when it is too long', async () => {
    await using service = await openListeningService();
    const client = service.clientWith({ fetch: rateLimited('3600') });
    expect(await failureOf(client.listPets())).toMatchObject({
      code: 'rate_limited',
      retryAfterMs: 3_600_000,
    });
  });

  it('may be seconds or a date', () => {
    const now = Date.parse('2026-11-14T00:00:00Z');
    expect(parseRetryAfter('3', now)).toBe(3000);
    expect(parseRetryAfter('Sat, 14 Nov 2026 00:00:05 GMT', now)).toBe(5000);
    expect(parseRetryAfter('Fri, 13 Nov 2026 00:00:00 GMT', now)).toBe(0);
    expect([parseRetryAfter('soon', now), parseRetryAfter(null, now)]).toEqual([undefined, undefined]);
  });

  it('adds to a random pause that doubles up to a bound', () => {
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
  it('cancels a call that waits for its response', async () => {
    await using service = await openListeningService();
    await using proxy = await openFaultyProxy(service.port, ['stall']);
    const controller = new AbortController();
    const call = service.clientWith({ baseUrl: proxy.url }).listPets({ signal: controller.signal });
    controller.abort(new Error('changed my mind'));
    expect(await failureOf(call)).toHaveProperty('message', 'changed my mind');
  });

  it('cancels the pause before a retry', async () => {
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

  it('prevents the request when it is already aborted', async () => {
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
