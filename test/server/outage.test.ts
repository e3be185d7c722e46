import { describe, expect, it } from 'bun:test';
import { post, rex } from '../support/http/calls.ts';
import { startService } from '../support/process/process.ts';
import { lockablePlaces } from '../support/write-lock.ts';

const requests = 8;

describe.each(Object.entries(lockablePlaces))('a write outage on %s', (_name, makePlace) => {
  it('is logged as an error with its reason and a count, without a stack', async () => {
    await using place = await makePlace();
    await using service = await startService({ databaseUrl: place.databaseUrl });
    const unlock = await place.lock();
    const creates = Array.from({ length: requests }, () => service.call('/v1/pets', post(rex)));
    for (const { status } of await Promise.all(creates)) expect(status).toBe(503);
    await unlock();
    expect((await service.call('/v1/pets', post(rex))).status).toBe(201);
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
