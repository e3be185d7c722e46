import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { Journal, expectPetsToMatch, startLoad, type StoredPet } from '../../../support/journal.ts';
import { startService, type Service } from '../../../support/process/process.ts';
import { makeCluster, superuser, type Cluster } from '../../../support/postgres/cluster.ts';

/** Nothing acknowledged is lost or doubled, and each create that was not acknowledged got a 503. */
async function expectToMatch(server: Cluster, journal: Journal): Promise<void> {
  expectPetsToMatch(
    (await server.run("SELECT id::text, json::json ->> 'name' AS name FROM pets")) as unknown as StoredPet[],
    journal,
  );
  expect(journal.refused.filter((refusal) => !refusal.startsWith('503 {"code":"unavailable",'))).toEqual([]);
  expect([...journal.unanswered]).toEqual([]);
}

/** Resolves when the service says that it is ready, or that it is not. */
async function untilReady(service: Service, isReady = true): Promise<void> {
  while (((await service.call('/readyz')).status === 200) !== isReady) await Bun.sleep(20);
}

let cluster: Cluster;
beforeAll(async () => {
  cluster = await makeCluster();
  await cluster.start();
});
afterAll(() => cluster[Symbol.asyncDispose]());

describe('a server that is killed twice under load, through HTTP', () => {
  it('neither loses nor duplicates a pet that two replicas acknowledged, and each serves again after its return', async () => {
    const databaseUrl = cluster.address();
    await using first = await startService({ databaseUrl });
    await using second = await startService({ databaseUrl });
    const journal = new Journal();
    const loads = [first, second].map(({ url }, index) =>
      startLoad({ url: () => url, creators: 3, label: `caller-of-${index}`, journal }),
    );
    for (let round = 0; round < 2; round++) {
      expect(await loads[0]!.untilAcknowledged(50)).toBe(true);
      await cluster.stop('SIGKILL');
      await untilReady(first, false);
      await cluster.start();
      for (const service of [first, second]) await untilReady(service);
    }
    expect(await loads[0]!.untilAcknowledged(50)).toBe(true);
    await Promise.all(loads.map((load) => load.stop()));
    await expectToMatch(cluster, journal);
    for (const { stdout, stderr } of [first, second])
      expect(stdout + stderr).not.toContain(superuser.password);
  });
});
