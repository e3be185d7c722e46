import { Database } from 'bun:sqlite';
import { describe, expect, it } from 'bun:test';
import { Client } from 'pg';
import { outcomeOf, post, rex } from '../support/http/calls.ts';
import { makePostgresPlace } from '../support/postgres/place.ts';
import { startService } from '../support/process/process.ts';
import { makeSqlitePlace } from '../support/store-place.ts';

const requests = 8;

interface LockablePlace extends AsyncDisposable {
  databaseUrl: string;
  /** Makes every write fail, as another program may. Returns what lets go. */
  lock(): Promise<() => Promise<void>>;
  /** What the store says of a write that waited too long. */
  reason: RegExp;
}

const places: Record<string, () => Promise<LockablePlace>> = {
  async SQLite() {
    const place = await makeSqlitePlace();
    return {
      ...place,
      databaseUrl: place.path,
      reason: /^database is locked$/,
      async lock() {
        const holder = new Database(place.path);
        holder.run('BEGIN IMMEDIATE');
        return async () => holder.close();
      },
    };
  },
  async PostgreSQL() {
    const place = await makePostgresPlace();
    return {
      ...place,
      databaseUrl: place.address,
      // A create that came later may have waited for the one before it.
      reason: /^canceling statement due to lock timeout$|^Waited more than 2500 ms\.$/,
      async lock() {
        const holder = new Client(place.address);
        await holder.connect();
        await holder.query('BEGIN; LOCK TABLE pets IN EXCLUSIVE MODE');
        return () => holder.end();
      },
    };
  },
};

describe.each(Object.entries(places))('a lock that another program holds on %s', (_name, makePlace) => {
  it('makes writes a 503 without an effect, does not delay reads, and is logged with its reason and a count', async () => {
    await using place = await makePlace();
    await using service = await startService({ databaseUrl: place.databaseUrl });
    const unlock = await place.lock();
    const creates = Array.from({ length: requests }, () =>
      outcomeOf(service.call('/v1/pets', post(rex))).then((outcome) => `create ${outcome}`),
    );
    const list = outcomeOf(service.call('/v1/pets')).then((outcome) => `list ${outcome}`);
    expect(await Promise.race([...creates, list])).toBe('list 200');
    for (const outcome of await Promise.all(creates)) expect(outcome).toBe('create 503 unavailable');
    expect(await (await service.call('/readyz')).json()).toEqual({ status: 'ok', writes: 'failing' });
    await unlock();
    expect((await service.call('/v1/pets', post(rex))).status).toBe(201);
    expect(await (await service.call('/readyz')).json()).toEqual({ status: 'ok' });
    expect(await (await service.call('/v1/pets')).json()).toHaveLength(1);
    const logged = () =>
      service.stdout
        .split('\n')
        .filter((line) => line.includes('requests are refused'))
        .map((line) => JSON.parse(line) as { count: number });
    const counted = () => logged().reduce((sum, { count }) => sum + count, 0);
    while (counted() < requests) await Bun.sleep(20);
    expect(counted()).toBe(requests);
    expect(logged().length).toBeLessThan(requests);
    for (const line of logged()) {
      expect(line).toMatchObject({
        ...{ level: 'error', reason: expect.stringMatching(place.reason), code: 'unavailable' },
        ...{ method: 'POST', path: '/v1/pets', requestId: expect.any(String) },
      });
    }
    expect(service.stdout).not.toContain('\\n    at ');
  });
});
