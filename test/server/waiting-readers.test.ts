import { describe, expect, it } from 'bun:test';
import { addPet, nextQuery } from '../support/http/calls.ts';
import { untilUnderWay } from '../support/metrics/scrape.ts';
import { startService, type Service } from '../support/process/process.ts';

/** Readers of events who wait while the service is told to stop. */

const withMetrics = ['--metrics-port', '0'];

async function readAndWait(service: Service) {
  const startedAt = performance.now();
  const response = await service.call('/v1/events?wait=5');
  const events = (await response.json()) as { type: string }[];
  return { events, next: nextQuery(response), ms: performance.now() - startedAt };
}

describe('SIGTERM', () => {
  it('gives every waiting request an empty page, and the service ends with 0', async () => {
    await using service = await startService({ args: withMetrics });
    const waiting = Array.from({ length: 6 }, () => readAndWait(service));
    await untilUnderWay(service, waiting.length);
    const status = await service.stop();
    const pages = await Promise.all(waiting);
    for (const { events, next } of pages)
      expect([events, next]).toEqual([[], expect.stringContaining('after=')]);
    // By itself, a wait ends no sooner.
    expect(Math.min(...pages.map(({ ms }) => ms))).toBeLessThan(5000);
    expect(status).toBe(0);
    expect(service.stdout).not.toMatch(/were killed|were cut off|"level":"error"/);
  });

  it('lets readers wait during the stop delay, or they would return at once', async () => {
    await using service = await startService({ args: withMetrics, env: { STOP_DELAY: '300' } });
    void service.stop();
    await service.untilLogged(/"message":"stopping"/);
    const waiting = readAndWait(service);
    await untilUnderWay(service);
    await addPet(service.call);
    expect((await waiting).events).toMatchObject([{ type: 'pet.created' }]);
  });
});
