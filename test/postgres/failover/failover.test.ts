import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { Journal, expectPetsToMatch, startLoad, type StoredPet } from '../../support/journal.ts';
import { addPet, errorOf, outcomeOf, post, rex } from '../../support/http/calls.ts';
import { runCli, startService, type Service } from '../../support/process/process.ts';
import { makeCluster, superuser, type Cluster } from '../../support/postgres/cluster.ts';
import { openProxy } from '../../support/postgres/proxy.ts';
import { makePair } from '../../support/postgres/standby.ts';

const patienceMs = 120_000;

/** Nothing acknowledged is lost or doubled, and each create that was not acknowledged got a 503. */
async function expectToMatch(server: Cluster, journal: Journal): Promise<void> {
  expectPetsToMatch((await server.run('SELECT id::text, name FROM pets')) as unknown as StoredPet[], journal);
  expect(journal.refused.filter((refusal) => !refusal.startsWith('503 {"code":"unavailable",'))).toEqual([]);
  expect([...journal.unanswered]).toEqual([]);
}

/** Resolves when the service is ready; how long that took. */
async function msUntilReady(service: Service): Promise<number> {
  const startedAt = performance.now();
  while ((await service.call('/readyz')).status !== 200) await Bun.sleep(20);
  return performance.now() - startedAt;
}

/** Resolves when the service says that it is not ready. */
async function untilNotReady(service: Service): Promise<void> {
  while ((await service.call('/readyz')).status === 200) await Bun.sleep(20);
}

describe('a promotion under load while the old primary lives, through HTTP', () => {
  it(
    'neither loses nor duplicates an acknowledged pet, and never returns to the old one when the new one dies',
    async () => {
      await using pair = await makePair();
      await using proxy = await openProxy(pair.first.port);
      await using service = await startService({ databaseUrl: proxy.address() });
      const load = startLoad({ url: () => service.url, creators: 6 });
      expect(await load.untilAcknowledged(100)).toBe(true);
      await pair.promoteSecond();
      proxy.moveTo(pair.second.port);
      await msUntilReady(service);
      expect(await load.untilAcknowledged(100)).toBe(true);
      await load.stop();
      await expectToMatch(pair.second, load.journal);
      for (const message of [
        'using database server',
        `The database server has changed.","server":"127.0.0.1:${proxy.port}`,
      ])
        expect(service.stdout).toContain(`"message":"${message}"`);
      expect(service.stdout).not.toContain(superuser.password);

      const acknowledged = await addPet(service.call);
      await pair.second.stop('SIGKILL');
      proxy.moveTo(pair.first.port);
      await untilNotReady(service);
      for (let call = 0; call < 20; call++) {
        expect(await outcomeOf(service.call(`/v1/pets/${acknowledged}`))).toBe('503 unavailable');
        await Bun.sleep(50);
      }
      await pair.second.start();
      proxy.moveTo(pair.second.port);
      await msUntilReady(service);
      expect(await outcomeOf(service.call(`/v1/pets/${acknowledged}`))).toBe('200');
    },
    patienceMs,
  );
});

let cluster: Cluster;
beforeAll(async () => {
  cluster = await makeCluster();
  await cluster.start();
});
afterAll(() => cluster[Symbol.asyncDispose]());

describe('a server that is killed three times under load, through HTTP', () => {
  it(
    'neither loses nor duplicates a pet that two replicas acknowledged, and each serves within 5 s of its return',
    async () => {
      const databaseUrl = cluster.address();
      await using first = await startService({ databaseUrl });
      await using second = await startService({ databaseUrl });
      const journal = new Journal();
      const loads = [first, second].map(({ url }, index) =>
        startLoad({ url: () => url, creators: 3, label: `caller-of-${index}`, journal }),
      );
      for (let round = 0; round < 3; round++) {
        expect(await loads[0]!.untilAcknowledged(50)).toBe(true);
        await cluster.stop('SIGKILL');
        await untilNotReady(first);
        await cluster.start();
        for (const service of [first, second]) expect(await msUntilReady(service)).toBeLessThan(5000);
      }
      expect(await loads[0]!.untilAcknowledged(50)).toBe(true);
      await Promise.all(loads.map((load) => load.stop()));
      await expectToMatch(cluster, journal);
    },
    patienceMs,
  );
});

describe('a silent network', () => {
  it(
    'makes every request a 503 before its caller gives up, and trusts no key in memory, until it is back',
    async () => {
      await using proxy = await openProxy(cluster.port);
      await using service = await startService({ databaseUrl: proxy.address() });
      const create = ['keys', 'create', '--name', 'till', '--json', '--database-url', cluster.address()];
      const { key } = JSON.parse((await runCli(create)).stdout) as { key: string };
      const id = await addPet(service.call);
      expect(await outcomeOf(service.callWith(key, '/v1/pets'))).toBe('200');
      proxy.freeze();
      // So long that the key has to be read again.
      await Bun.sleep(1000);
      const calls = [
        () => service.callWith(key, '/v1/pets'),
        () => service.call(`/v1/pets/${id}`),
        () => service.call('/v1/pets', post(rex)),
        () => service.call('/readyz'),
      ];
      const outcomes = await Promise.all(
        Array.from({ length: 40 }, async (_, caller) => {
          await Bun.sleep(caller * 100);
          const startedAt = performance.now();
          const { code, status } = await errorOf(calls[caller % 4]!());
          return { code, status, isInTime: performance.now() - startedAt < 10_000 };
        }),
      );
      for (const outcome of outcomes)
        expect(outcome).toEqual({ code: 'unavailable', status: 503, isInTime: true });
      proxy.thaw();
      await msUntilReady(service);
      expect(await outcomeOf(service.callWith(key, '/v1/pets'))).toBe('200');
      // Readiness is proven beside the creates, whose own session may still be on its way.
      while ((await outcomeOf(service.call('/v1/pets', post(rex)))) !== '201') await Bun.sleep(50);
    },
    patienceMs,
  );
});
