import { describe, expect, it } from 'bun:test';
import { openPostgresStore } from '../../../src/postgres/open.ts';
import { makeCluster } from '../../support/postgres/cluster.ts';
import { findFaults, msUntilWritable, startLoad, untilUnavailable } from '../../support/postgres/load.ts';
import { makePair } from '../../support/postgres/standby.ts';

const patienceMs = 120_000;

describe('a PostgreSQL server that is killed under load', () => {
  it(
    'loses and doubles no acknowledged pet in 10 rounds, and serves again within 5 s of the database',
    async () => {
      await using cluster = await makeCluster();
      await cluster.start();
      const stores = await Promise.all([1, 2].map(() => openPostgresStore({ address: cluster.address() })));
      const load = startLoad(stores.map(({ pets }) => pets));
      for (let round = 0; round < 10; round++) {
        await load.untilAcknowledged(100);
        await cluster.stop('SIGKILL');
        await untilUnavailable(stores[0]!.pets);
        await cluster.start();
        for (const { pets } of stores) expect(await msUntilWritable(pets)).toBeLessThan(5000);
      }
      await load.untilAcknowledged(100);
      await load.stop();
      expect(await findFaults(load, cluster)).toEqual([]);
      expect(load.acknowledged.size).toBeGreaterThanOrEqual(1100);
      await Promise.all(stores.map((store) => store.close()));
    },
    patienceMs,
  );
});

describe('a synchronous standby that is promoted under load', () => {
  it(
    'keeps every acknowledged pet once, without a restart of the service',
    async () => {
      await using pair = await makePair();
      const { first, second } = pair;
      const store = await openPostgresStore({ address: pair.address([first, second]) });
      const load = startLoad([store.pets]);
      await load.untilAcknowledged(500);
      await first.stop('SIGKILL');
      await untilUnavailable(store.pets);
      await pair.promoteSecond();
      expect(await msUntilWritable(store.pets)).toBeLessThan(5000);
      await load.untilAcknowledged(500);
      await load.stop();
      expect(await findFaults(load, second)).toEqual([]);
      await store.close();
    },
    patienceMs,
  );
});
