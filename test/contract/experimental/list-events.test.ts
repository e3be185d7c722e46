import { afterAll, describe, expect, it } from 'bun:test';
import { issueKey } from '../../../src/stores/issue-key.ts';
import { encodeCursor } from '../../../src/http/parameters.ts';
import { createRegistry } from '../../../src/metrics/registry.ts';
import { addPet, nextQuery, outcomeOf, rex } from '../../support/http/calls.ts';
import { openService, type Service } from '../../support/http/service.ts';

interface EventBody {
  type: string;
}

const path = '/v1/events';
const service = await openService();
const { call } = service;
afterAll(() => service.close());

const list = (query = '', to: Service = service) => to.call(`${path}${query}`);
const typesOf = async (response: Response) =>
  ((await response.json()) as EventBody[]).map(({ type }) => type);
/** The address behind everything so far, with these parameters. */
const fromNow = async (query: string) => {
  const now = new URLSearchParams(nextQuery(await list('?after=now')));
  return `?${query}&after=${now.get('after')}`;
};

describe('listEvents', () => {
  it('keeps the parameters in the next address, and lets them change', async () => {
    const start = nextQuery(await list('?limit=7&type=pet.deleted&after=now&petId=-1&wait=0')) ?? '';
    expect(start).toMatch(/^\?limit=7&petId=-1&type=pet\.deleted&wait=0&after=\w+$/);
    const id = await addPet(call);
    const cursor = new URLSearchParams(start).get('after');
    expect(await typesOf(await list(`?after=${cursor}&petId=${id}`))).toEqual(['pet.created']);
    expect(await typesOf(await list(`?after=${cursor}&type=pet.updated`))).toEqual([]);
  });

  it.each([
    [`after=${encodeCursor('e1.0c1ad98f4b7e2356')}`, '400 invalid_cursor'],
    [`after=${encodeCursor('e1.0c1ad98f4b7e2356.x')}`, '400 invalid_cursor'],
    [`after=${encodeCursor('e2.0c1ad98f4b7e2356.1')}`, '400 invalid_cursor'],
    [`after=${encodeCursor('1..1')}`, '400 invalid_cursor'],
    [`after=${encodeCursor('e1.0c1ad98f4b7e2356.0')}`, '410 events_gone'],
    [`after=${encodeCursor('e1.0c1ad98f4b7e2356.9223372036854775807')}`, '410 events_gone'],
  ])('refuses ?%s with %s', async (query, outcome) => {
    expect(await outcomeOf(await list(`?${query}`))).toBe(outcome);
  });

  it('has events of --stable-only, too, as listOrders has its orders', async () => {
    await using stable = await openService({ stableOnly: true });
    await addPet(stable.call, { ...rex, status: 'sold' });
    expect((await stable.events.listEvents({ limit: 1 })).json).not.toBe('[]');
    expect((await stable.orders.listOrders({ limit: 1 })).json).not.toBe('[]');
  });
});

describe('a request that waits for events', () => {
  it('gets an empty page when its time is up, which does not count as slow', async () => {
    const slow: string[] = [];
    const metrics = createRegistry();
    const log = { error() {}, warn: (message: string) => slow.push(message), info() {}, debug() {} };
    await using measured = await openService({ log, metrics, slowRequestMs: 500 });
    const startedAt = performance.now();
    expect(await typesOf(await list('?wait=1', measured))).toEqual([]);
    expect(performance.now() - startedAt).toBeGreaterThan(990);
    expect(slow).toEqual([]);
    const counted =
      /request_duration_seconds_count\{[^}]*http_route="\/v1\/events"[^}]*code="200"[^}]*\} (\d+)/;
    const total =
      /request_duration_seconds_sum\{[^}]*http_route="\/v1\/events"[^}]*code="200"[^}]*\} ([\d.e-]+)/;
    const text = await metrics.render();
    expect(counted.exec(text)?.[1]).toBe('1');
    expect(Number(total.exec(text)?.[1])).toBeLessThan(0.9);
  });

  it('does not wait for HEAD', async () => {
    const startedAt = performance.now();
    await call(`${path}${await fromNow('wait=5')}`, { method: 'HEAD' });
    expect(performance.now() - startedAt).toBeLessThan(4000);
  });

  it('is refused if its key was revoked in the meantime', async () => {
    const { key, text } = await issueKey(service.keys, { name: 'gone', now: new Date() });
    const waiting = service.callAs(`Bearer ${text}`, `${path}${await fromNow('wait=5')}`);
    await Bun.sleep(50);
    await service.keys.revokeKey(key.id, new Date());
    // PostgreSQL may lag by one second.
    await Bun.sleep(1000);
    await addPet(call);
    expect(await outcomeOf(await waiting)).toBe('401 invalid_api_key');
  });
});
