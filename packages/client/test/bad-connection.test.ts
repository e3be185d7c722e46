import { describe, expect, it } from 'bun:test';
import { isTemporary, type NewPet } from '../src/index.ts';
import { failureOf } from '../../../test/support/failure.ts';
import { clientThrough } from '../../../test/support/http/bad-connection.ts';
import { openFaultyProxy, type Fault } from '../../../test/support/http/faulty-proxy.ts';
import { openListeningService } from '../../../test/support/http/listening.ts';

const rex: NewPet = { name: 'Rex', categoryId: 2n ** 63n - 1n, status: 'available' };

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
      const created = await clientThrough(service, proxy.url).createPet(rex);
      expect(await Array.fromAsync(service.client.pets())).toEqual([created]);
      expect(proxy.connections).toBe(faults.length + 1);
    });
  }

  it('adds exactly one pet for each of many concurrent creates', async () => {
    await using service = await openListeningService();
    const faults = Array.from({ length: 60 }, (_, index): Fault => {
      return (['cut-response', 'pass', 503, 'cut-midway', 'cut-request', 'pass'] as const)[index % 6]!;
    });
    await using proxy = await openFaultyProxy(service.port, faults);
    const client = clientThrough(service, proxy.url);
    const names = Array.from({ length: 40 }, (_, index) => `Pet ${index}`);
    await Promise.all(names.map((name) => client.createPet({ ...rex, name })));
    const stored = await Array.fromAsync(service.client.pets());
    expect(stored.map(({ name }) => name).sort()).toEqual([...names].sort());
  });

  it('gives up after retryForMs with a temporary error', async () => {
    await using service = await openListeningService();
    await using proxy = await openFaultyProxy(service.port, Array(1000).fill(503));
    const client = service.clientWith({ baseUrl: proxy.url, retryForMs: 1000 });
    const error = await failureOf(client.createPet(rex));
    expect(error).toMatchObject({ code: 'unavailable', status: 503, retryAfterMs: 0 });
    expect(isTemporary(error)).toBe(true);
    expect(proxy.connections).toBeGreaterThan(1);
  });
});
