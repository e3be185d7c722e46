import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { openPostgresStore, type PostgresStore } from '../../../src/postgres/open.ts';
import { makeCluster, superuser } from '../../support/postgres/cluster.ts';
import { failureOf } from '../../support/failure.ts';
import { msUntilWritable } from '../../support/postgres/load.ts';
import { watchForLockWaits } from '../../support/postgres/lock-waits.ts';
import { openProxy, type PostgresProxy } from '../../support/postgres/proxy.ts';
import { makeDatabase, sharedServer, type Database } from '../../support/postgres/server.ts';
import { requireMissingStandby } from '../../support/postgres/standby.ts';

const rex = { name: 'Rex', categoryId: 1n };
const unavailable = { code: 'unavailable' };

function addressAt(port: number, query = ''): string {
  return `postgres://${superuser.user}:${superuser.password}@127.0.0.1:${port}/postgres?sslmode=disable${query}`;
}

describe('the readiness of a replica', () => {
  let database: Database;
  let proxy: PostgresProxy;
  let store: PostgresStore;

  beforeAll(async () => {
    database = await makeDatabase();
    proxy = await openProxy(sharedServer.port);
    const address = database.address('?sslmode=disable').replace(`:${sharedServer.port}`, `:${proxy.port}`);
    store = await openPostgresStore({ address });
  });
  afterAll(async () => {
    await store.close();
    await proxy[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  it('proves readiness with one row for each replica', async () => {
    const other = await openPostgresStore({ address: database.address() });
    for (let check = 0; check < 3; check++) {
      await store.pets.checkWritable();
      await other.pets.checkWritable();
    }
    expect(await database.run('SELECT sequence::int FROM write_probes')).toEqual([
      { sequence: 3 },
      { sequence: 3 },
    ]);
    await other.close();
  });

  it('proves readiness to all who ask at the same time', async () => {
    await Promise.all(Array.from({ length: 20 }, () => store.pets.checkWritable()));
  });

  it.each([
    ['what was committed cannot be read', 'read-proof'],
    ['the keys cannot be checked', 'select-key-version'],
    ['nothing can be committed', 'write-proof'],
  ])('is not ready while %s', async (_name, statement) => {
    proxy.lose(statement);
    expect(await failureOf(store.pets.checkWritable())).toMatchObject(unavailable);
    proxy.lose('no statement has this text');
    proxy.cutConnectionsThatSent(statement);
    while (
      await store.pets.checkWritable().then(
        () => false,
        () => true,
      )
    )
      await Bun.sleep(20);
  });
});

describe('forty replicas at commits of 100 ms', () => {
  it('checks the readiness of forty replicas without failures, and nobody waits for another', async () => {
    await using cluster = await makeCluster({ commit_delay: '100000', commit_siblings: '0' });
    await cluster.start();
    const address = addressAt(cluster.port, '&connection_limit=4&connect_timeout=60');
    const replicas = await Promise.all(Array.from({ length: 40 }, () => openPostgresStore({ address })));
    // So that every session is open.
    await Promise.all(replicas.map(({ pets }) => msUntilWritable(pets)));
    await using watch = watchForLockWaits(cluster);
    for (let round = 0; round < 2; round++) {
      const checks = replicas.map(({ pets }) => pets.checkWritable());
      const creates = [replicas[0]!.pets.createPet(rex), replicas[1]!.pets.createPet(rex)];
      expect(await Promise.allSettled([...checks, ...creates])).not.toContainEqual({
        status: 'rejected',
        reason: expect.anything(),
      });
    }
    await watch.stop();
    expect(watch.samples).toBeGreaterThan(0);
    expect(watch.waits).toEqual([]);
    await Promise.all(replicas.map((replica) => replica.close()));
  });
});

describe('a synchronous standby that hangs', () => {
  it('leaves at most two sessions of each replica waiting, and responds 503 at once to further writes', async () => {
    await using cluster = await makeCluster();
    await cluster.start();
    const replicas = await Promise.all(
      [1, 2, 3].map(() => openPostgresStore({ address: addressAt(cluster.port) })),
    );
    await Promise.all(replicas.map(({ pets }) => pets.createPet(rex)));
    await requireMissingStandby(cluster);
    const writeOnEach = () =>
      replicas.flatMap(({ pets }) => [failureOf(pets.createPet(rex)), failureOf(pets.checkWritable())]);
    // The first of each waits until it is given up, a create on one replica before and on one after its check.
    const [createsFirst, checksFirst] = replicas as [PostgresStore, PostgresStore, PostgresStore];
    const givenUp = [
      failureOf(createsFirst.pets.createPet(rex)),
      failureOf(checksFirst.pets.checkWritable()),
    ];
    await Bun.sleep(500);
    // Others come while they wait.
    givenUp.push(...writeOnEach());
    for (let time = 0; time < 3; time++) {
      await Bun.sleep(1000);
      givenUp.push(...writeOnEach());
    }
    for (const error of await Promise.all(givenUp)) expect(error).toMatchObject(unavailable);
    const countSessions = async (condition: string): Promise<number> =>
      (await cluster.run(`SELECT FROM pg_stat_activity WHERE application_name = 'petstore' AND ${condition}`))
        .length;
    const waiting = "wait_event = 'SyncRep'";
    for (let round = 0; round < 10; round++) {
      // Refused without being sent: nobody waits for the server.
      for (const error of await Promise.all(writeOnEach()))
        expect(error).toMatchObject({
          ...unavailable,
          cause: { message: 'An earlier write is still under way.' },
        });
      // A create and a check of each.
      expect(await countSessions(waiting)).toBe(2 * replicas.length);
      // Five of its own, and one that checks which server the address leads to.
      while ((await countSessions('true')) > 6 * replicas.length) await Bun.sleep(20);
    }
    // No create was given up: its pet would be seen without its standby.
    expect(await countSessions(`${waiting} AND query LIKE '%INSERT INTO pets%'`)).toBe(replicas.length);
    expect(await cluster.run('SELECT FROM pets')).toHaveLength(replicas.length);
    await cluster.run("ALTER SYSTEM SET synchronous_standby_names = ''");
    await cluster.run('SELECT pg_reload_conf()');
    for (const { pets } of replicas) {
      while (
        await pets.createPet(rex).then(
          () => false,
          () => true,
        )
      )
        await Bun.sleep(20);
      await pets.checkWritable();
    }
    await Promise.all(replicas.map((replica) => replica.close()));
  });
});
