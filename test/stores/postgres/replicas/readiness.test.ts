import { describe, expect, it } from 'bun:test';
import { openPostgresStore } from '../../../../src/stores/postgres/open.ts';
import { codeOf } from '../../../support/code-of.ts';
import { failureOf } from '../../../support/failure.ts';
import { outcomeOf } from '../../../support/http/calls.ts';
import { openService } from '../../../support/http/service.ts';
import { makeCluster } from '../../../support/postgres/cluster.ts';
import { makeDatabase } from '../../../support/postgres/server.ts';
import { requireMissingStandby } from '../standby.ts';
import { createPet, updatePet } from '../../../support/changes.ts';

const rex = { name: 'Rex', categoryId: 1n };
const unavailable = { code: 'unavailable' };

describe('a replica whose schema is changed under it', () => {
  it.each(['pets', 'api_keys'])('is not ready without its %s, until they are back', async (table) => {
    await using database = await makeDatabase();
    const openStore = () => openPostgresStore({ address: database.address() });
    await using service = await openService({ openStore });
    const ready = () => outcomeOf(service.callAs(null, '/readyz'));
    await database.run(`ALTER TABLE ${table} RENAME TO gone`);
    expect(await ready()).toBe('503 unavailable');
    await database.run(`ALTER TABLE gone RENAME TO ${table}`);
    while ((await ready()) !== '200') await Bun.sleep(20);
  });

  it('stays ready when a newer release has added to it', async () => {
    await using database = await makeDatabase();
    const store = await openPostgresStore({ address: database.address() });
    await database.run('UPDATE petstore_schema SET version = 99; ALTER TABLE pets ADD COLUMN born date');
    await store.pets.apply(createPet(rex));
    await store.close();
  });
});

describe('a synchronous standby that hangs', () => {
  it('keeps at most two sessions of each replica waiting, and further writes wait in vain, unsent', async () => {
    await using cluster = await makeCluster();
    await cluster.start();
    const replicas = await Promise.all(
      [1, 2, 3].map(() => openPostgresStore({ address: cluster.address() })),
    );
    const ids = await Promise.all(replicas.map(async ({ pets }) => (await pets.apply(createPet(rex))).id));
    await requireMissingStandby(cluster);
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
    for (let round = 0; round < 3; round++) {
      for (const error of await Promise.all(writeOnEach()))
        expect(error).toMatchObject({
          ...unavailable,
          // The commit that hangs holds the lock of the events, for which writes of other replicas wait in vain.
          cause: {
            message: expect.stringMatching(/^The session was lost\.|lock timeout/) as string,
          },
        });
      expect(await countSessions(waiting)).toBeLessThanOrEqual(2 * replicas.length);
      expect(await countSessions('true')).toBeLessThanOrEqual(5 * replicas.length);
      for (const { pets } of replicas) expect(pets.areWritesFailing()).toBe(true);
    }
    // No write was given up: its pet would be seen without its standby.
    expect(await countSessions(waiting)).toBeGreaterThanOrEqual(1);
    expect(await cluster.run('SELECT FROM pets')).toHaveLength(replicas.length);
    const pidsBefore = await cluster.run(`SELECT pid FROM pg_stat_activity WHERE ${waiting} ORDER BY pid`);
    await cluster.run("ALTER SYSTEM SET synchronous_standby_names = ''");
    await cluster.run('SELECT pg_reload_conf()');
    for (const { pets } of replicas) {
      while ((await codeOf(pets.apply(createPet(rex)))) !== 'done') await Bun.sleep(5);
      expect(pets.areWritesFailing()).toBe(false);
    }
    // The same sessions go on: nobody has to connect first.
    const pids = pidsBefore.map(({ pid }) => String(pid)).join();
    expect(await countSessions(`pid IN (${pids})`)).toBe(pidsBefore.length);
    await Promise.all(replicas.map((replica) => replica.close()));
  });
});
