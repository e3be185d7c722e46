import { afterAll, describe, expect, it } from 'bun:test';
import { createRegistry } from '../../../../src/metrics/registry.ts';
import { openPostgresStore } from '../../../../src/stores/postgres/open.ts';
import { clientOf } from '../../client-of.ts';
import { followWithMirrors } from '../../../support/mirror.ts';
import { startChangeLoad } from './change-load.ts';
import { scrapeRegistry } from '../../../support/metrics/scrape.ts';
import { failureOf } from '../../../support/failure.ts';
import { untilUnavailable, untilAvailable } from '../availability.ts';
import { openProxiedStore } from '../proxied-store.ts';
import { openProxy } from '../proxy.ts';
import { makePair } from '../standby.ts';
import { randomFrom } from '../../../support/random.ts';
import { createPet, updatePet } from '../../../support/changes.ts';

const rex = { name: 'Rex', categoryId: 1n };

const proxied = await openProxiedStore();
afterAll(() => proxied[Symbol.asyncDispose]());

describe('a change whose connection is lost after it was sent', () => {
  const { database, proxy, store } = proxied;

  const unknownOutcome = {
    code: 'unavailable',
    message:
      'The connection to the store was lost, and the outcome of this write is unknown. ' +
      'Read it again to see whether it has changed.',
  };

  it('has an unknown outcome, is not repeated, and leaves the pet with its order or neither', async () => {
    for (let round = 0; round < 10; round++) {
      const { id } = await store.pets.apply(createPet(rex));
      proxy.cutNext('update-pets', round % 2 === 0 ? 'at-once' : 'after-answer');
      const update = store.pets.apply(updatePet(id, { changes: { status: 'sold' } }));
      expect(await failureOf(update)).toMatchObject(unknownOutcome);
      const [row] = await database.run(
        `SELECT status, (SELECT count(*)::int FROM orders WHERE pet_id = ${id}) AS orders FROM pets WHERE id = ${id}`,
      );
      const isSold = round % 2 === 1 || row?.['status'] === 'sold';
      expect(row).toEqual(isSold ? { status: 'sold', orders: 1 } : { status: null, orders: 0 });
    }
    expect(proxy.cuts).toBe(10);
  });
});

describe('changes under load', () => {
  it('keeps every acknowledged change and its event when a standby is promoted, and counts the failover', async () => {
    await using pair = await makePair();
    const { first, second } = pair;
    await using proxy = await openProxy(first.port);
    const metrics = createRegistry();
    const store = await openPostgresStore({ address: proxy.address(), metrics });
    const client = await clientOf(store);
    using mirrors = followWithMirrors(2, () => client, randomFrom(1));
    const load = startChangeLoad([store]);
    await load.untilAcknowledged(100);
    // The whole machine dies: sessions that outlive their server for a moment could show what no standby has.
    proxy.freeze();
    await first.stop('SIGKILL');
    proxy.thaw();
    await untilUnavailable(store.pets);
    await pair.promoteSecond();
    proxy.moveTo(second.port);
    await untilAvailable(store.pets);
    await load.untilAcknowledged(100);
    expect(await load.stop(second)).toEqual([]);
    expect(load.count.failures).toBeGreaterThan(0);
    expect(await mirrors.stop()).toMatchObject({ faults: [], restarts: 0 });
    const scraped = await scrapeRegistry(metrics);
    expect(scraped.value('petstore_postgres_failovers_total')).toBe(1);
    await store.close();
  });
});
