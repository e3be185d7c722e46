import { describe, expect, it } from 'bun:test';
import { PetstoreError } from '../../src/domain/error.ts';
import type { EventStore } from '../../src/stores/store.ts';
import { addPet, outcomeOf } from '../support/http/calls.ts';
import { openService, openTemporarySqlite } from '../support/http/service.ts';

/** A service whose reads of the log are counted, and fail or hang on demand. */
async function openCounted() {
  const log = { reads: 0, filteredReads: 0, failure: undefined as Error | undefined, isHanging: false };
  const openStore = async () => {
    const store = await openTemporarySqlite();
    const listEvents: EventStore['listEvents'] = (request) => {
      log.reads += 1;
      if (request.petId !== undefined || request.type !== undefined) log.filteredReads += 1;
      if (log.failure) throw log.failure;
      if (log.isHanging) return new Promise(() => {});
      return store.events.listEvents(request);
    };
    return { ...store, events: { ...store.events, listEvents } };
  };
  const service = await openService({ openStore });
  const wait = async (signal: AbortSignal | null = null, seconds = 5, filter = '') => {
    const headers = { Authorization: `Bearer ${service.apiKey}` };
    const url = `http://localhost/v1/events?after=now&wait=${seconds}${filter}`;
    return service.app.fetch(new Request(url, { headers, signal }));
  };
  return { log, service, wait, [Symbol.asyncDispose]: () => service.close() };
}

describe('requests that wait', () => {
  it('share one read of the log at a time, and stop reading once they are served', async () => {
    await using counted = await openCounted();
    const startedAt = performance.now();
    const waiting = Array.from({ length: 20 }, () => counted.wait());
    while (counted.log.reads <= 20) await Bun.sleep(5);
    expect(counted.log.reads).toBeLessThan(20 + (performance.now() - startedAt) / 10);
    await addPet(counted.service.call);
    for (const response of waiting) expect(await (await response).text()).toContain('"pet.created"');
    const { reads } = counted.log;
    await Bun.sleep(100);
    expect(counted.log.reads).toBe(reads);
  });

  it('read the log at most twice a second if they have a filter', async () => {
    await using counted = await openCounted();
    const { log, service } = counted;
    const id = await addPet(service.call);
    const filters = [`&petId=${id}`, '&type=pet.deleted', `&petId=${id}&type=pet.deleted`];
    const startedAt = performance.now();
    const waiting = filters.map((filter) => counted.wait(null, 5, filter));
    while (performance.now() - startedAt < 1200) {
      await addPet(service.call);
      // A filtered page ends after a thousand events, and so would the wait.
      await Bun.sleep(1);
    }
    const periods = Math.floor((performance.now() - startedAt) / 500);
    expect(log.filteredReads).toBeWithin(filters.length, filters.length * (1 + periods) + 1);
    await service.call(`/v1/pets/${id}`, { method: 'DELETE' });
    for (const response of waiting) {
      const events = (await (await response).json()) as { type: string; petId: number }[];
      expect(events).toMatchObject([{ type: 'pet.deleted', petId: Number(id) }]);
    }
  });

  it('are at most 1,024, until a caller leaves', async () => {
    await using counted = await openCounted();
    const leaving = new AbortController();
    const waiting = Array.from({ length: 1025 }, () => counted.wait(leaving.signal));
    expect(await outcomeOf(Promise.race(waiting))).toBe('503 overloaded');
    leaving.abort();
    const responses = await Promise.all(waiting);
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1024);
    const next = counted.wait();
    await addPet(counted.service.call);
    expect(await outcomeOf(next)).toBe('200');
  });

  it('end in time while the store hangs', async () => {
    await using counted = await openCounted();
    const waiting = counted.wait(null, 1);
    while (counted.log.reads === 0) await Bun.sleep(1);
    counted.log.isHanging = true;
    expect(await (await waiting).text()).toBe('[]');
  });

  it('fail with the store', async () => {
    await using counted = await openCounted();
    const waiting = [counted.wait(), counted.wait()];
    await Bun.sleep(50);
    counted.log.failure = new PetstoreError('unavailable', 'The disk is full.');
    expect(await Promise.all(waiting.map((response) => outcomeOf(response)))).toEqual([
      '503 unavailable',
      '503 unavailable',
    ]);
  });
});
