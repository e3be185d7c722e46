import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { openPostgresStore } from '../../../../src/stores/postgres/open.ts';
import { createPet, updatePet } from '../../../support/changes.ts';
import { codeOf } from '../../../support/code-of.ts';
import { failureOf } from '../../../support/failure.ts';
import { makeCluster, superuser, type Cluster } from '../../../support/postgres/cluster.ts';
import { requireStandby } from '../standby.ts';

const rex = { name: 'Rex', categoryId: 1n };
const unavailable = { code: 'unavailable' };

let cluster: Cluster;
beforeAll(async () => {
  cluster = await makeCluster({ fsync: 'off' });
  await cluster.start();
});
afterAll(() => cluster[Symbol.asyncDispose]());

describe('a synchronous standby that hangs', () => {
  it('keeps at most two sessions of each replica waiting, and further writes wait in vain, unsent', async () => {
    const replicas = await Promise.all(
      [1, 2, 3].map(() => openPostgresStore({ address: cluster.address() })),
    );
    const ids = await Promise.all(replicas.map(async ({ pets }) => (await pets.apply(createPet(rex))).id));
    await requireStandby(cluster, 'nobody');
    const sell = (index: number) =>
      failureOf(replicas[index]!.pets.apply(updatePet(ids[index]!, { changes: { status: 'sold' } })));
    const writeOnEach = () =>
      replicas.flatMap(({ pets }, index) => [failureOf(pets.apply(createPet(rex))), sell(index)]);
    const failures = writeOnEach();
    for (let time = 0; time < 3; time++) {
      await Bun.sleep(500);
      failures.push(...writeOnEach());
    }
    for (const error of await Promise.all(failures)) expect(error).toMatchObject(unavailable);

    const countSessions = async (condition: string): Promise<number> =>
      (await cluster.run(`SELECT FROM pg_stat_activity WHERE application_name = 'petstore' AND ${condition}`))
        .length;
    const waiting = "wait_event = 'SyncRep'";
    for (const error of await Promise.all(writeOnEach()))
      expect(error).toMatchObject({
        ...unavailable,
        // The commit that hangs holds the lock of the events, for which writes of other replicas wait in vain.
        cause: { message: expect.stringMatching(/^The session was lost\.|lock timeout/) as string },
      });
    expect(await countSessions(waiting)).toBeLessThanOrEqual(2 * replicas.length);
    expect(await countSessions('true')).toBeLessThanOrEqual(5 * replicas.length);
    for (const { pets } of replicas) expect(pets.areWritesFailing()).toBe(true);
    // No write was given up: its pet would be seen without its standby.
    expect(await countSessions(waiting)).toBeGreaterThanOrEqual(1);
    expect(await cluster.run('SELECT FROM pets')).toHaveLength(replicas.length);
    const pidsBefore = await cluster.run(`SELECT pid FROM pg_stat_activity WHERE ${waiting} ORDER BY pid`);
    await requireStandby(cluster, '');
    for (const { pets } of replicas) {
      while ((await codeOf(pets.apply(createPet(rex)))) !== 'done') await Bun.sleep(5);
      expect(pets.areWritesFailing()).toBe(false);
    }
    // The same sessions go on: nobody has to connect first.
    const pids = pidsBefore.map(({ pid }) => String(pid)).join();
    expect(await countSessions(`pid IN (${pids})`)).toBe(pidsBefore.length);
    await Promise.all(replicas.map((replica) => replica.close()));
  });

  it('leaves the outcome of a cancelled commit unknown, even for a role that receives no warnings', async () => {
    await cluster.run(`ALTER ROLE ${superuser.user} SET client_min_messages = 'error'`);
    const store = await openPostgresStore({ address: cluster.address() });
    await requireStandby(cluster, 'nobody');
    const failure = failureOf(store.pets.apply(createPet(rex)));
    // The server then reports success, with a warning.
    const cancel = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
    while ((await cluster.run(cancel)).length === 0) await Bun.sleep(20);
    expect(await failure).toMatchObject({
      ...unavailable,
      message: expect.stringContaining('outcome of this write is unknown') as string,
    });
    await store.close();
  });
});
