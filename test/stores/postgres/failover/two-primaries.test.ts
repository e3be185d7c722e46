import { expect, it } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRegistry } from '../../../../src/metrics/registry.ts';
import { issueKey } from '../../../../src/stores/issue-key.ts';
import { openPostgresStore } from '../../../../src/stores/postgres/open.ts';
import type { Store } from '../../../../src/stores/store.ts';
import { createLog } from '../../../../src/system/log.ts';
import { createPet } from '../../../support/changes.ts';
import { codeOf } from '../../../support/code-of.ts';
import { failureOf } from '../../../support/failure.ts';
import { scrapeRegistry } from '../../../support/metrics/scrape.ts';
import { copyCluster, makeCluster, superuser } from '../../../support/postgres/cluster.ts';
import { untilUnavailable, untilAvailable } from '../availability.ts';
import { openProxy } from '../proxy.ts';
import { requireStandby } from '../standby.ts';

const rex = { name: 'Rex', categoryId: 1n };

/** The proxy sends new connections to the new primary, and keeps those to the old one, which lives on. */
it('moves all sessions of a replica as soon as one moves, loses nothing, and never returns', async () => {
  await using pair = await makePair();
  // A standby lags behind, so it is never used.
  const standby = openPostgresStore({ address: pair.second.address() });
  expect(await failureOf(standby)).toMatchObject({
    problem: 'The database cannot be used: The server is a standby.',
  });
  await using proxy = await openProxy(pair.first.port);
  const lines: string[] = [];
  const log = createLog({ level: 'info', write: (line) => lines.push(line) });
  const metrics = createRegistry();
  const store = await openPostgresStore({ address: proxy.address(), log, metrics });
  const { key } = await issueKey(store.keys, { name: 'till', now: new Date() });
  const before = await store.pets.apply(createPet(rex));
  for (let call = 0; call < 10; call++) expect(await store.pets.getPet(before.id)).toBe(before.json);
  expect(await store.keys.findKey(key.hash)).toBeDefined();
  const load = startLoad(store);
  await load.untilAcknowledged(100);
  await pair.promoteSecond();
  proxy.leadTo(pair.second.port);
  // Only the sessions that write are cut; those that read live on, on the old primary.
  proxy.cutConnectionsThatSent('COMMIT');
  await load.untilAcknowledged(100);
  const { acknowledged, outcomes } = await load.stop();
  expect([...outcomes.difference(new Set(['done', 'unavailable', 'overloaded']))]).toEqual([]);
  const stored = new Set((await pair.second.run('SELECT id::text FROM pets')).map(({ id }) => id));
  expect(acknowledged.filter((id) => !stored.has(`${id}`))).toEqual([]);
  const after = await store.pets.apply(createPet(rex));
  for (let call = 0; call < 10; call++) expect(await store.pets.getPet(after.id)).toBe(after.json);
  await pair.second.run(`UPDATE api_keys SET revoked_at = 1 WHERE id = ${key.id}`);
  await Bun.sleep(1000);
  expect(await store.keys.findKey(key.hash)).toBeUndefined();
  expect(lines.join('')).toContain(`"The database server has changed.","server":"127.0.0.1:${proxy.port}`);
  expect((await scrapeRegistry(metrics)).value('petstore_postgres_failovers_total')).toBe(1);

  await pair.second.stop('SIGKILL');
  proxy.moveTo(pair.first.port);
  await untilUnavailable(store.pets);
  // Each of them tries for a second.
  for (let call = 0; call < 3; call++)
    expect(await codeOf(Promise.resolve(store.pets.getPet(after.id)))).toBe('unavailable');
  await pair.second.start();
  proxy.moveTo(pair.second.port);
  await untilAvailable(store.pets);
  expect(await store.pets.getPet(after.id)).toBe(after.json);
  await store.close();
});

/** Creates pets without a pause, and remembers what was acknowledged. */
function startLoad({ pets }: Store, workerCount = 10) {
  const acknowledged: bigint[] = [];
  const outcomes = new Set<string>();
  const stopping = new AbortController();
  const work = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const outcome = await codeOf(pets.apply(createPet(rex)).then(({ id }) => acknowledged.push(id)));
      outcomes.add(outcome);
      if (outcome !== 'done') await Bun.sleep(20);
    }
  };
  const workers = Array.from({ length: workerCount }, work);
  return {
    async untilAcknowledged(more: number) {
      const enough = acknowledged.length + more;
      while (acknowledged.length < enough) await Promise.race([Bun.sleep(5), ...workers]);
    },
    /** Waits for the creates under way. */
    async stop() {
      stopping.abort();
      await Promise.all(workers);
      return { acknowledged, outcomes };
    },
  };
}

/** A primary with a synchronous standby, both running. */
async function makePair() {
  // Only processes are killed, so nothing has to reach the disk.
  const first = await makeCluster({ fsync: 'off' });
  const { user, password } = superuser;
  const second = await copyCluster(first.dataFolder, {
    primary_conninfo: `host=127.0.0.1 port=${first.port} user=${user} password=${password}`,
  });
  writeFileSync(join(second.dataFolder, 'standby.signal'), '');
  await first.start();
  await second.start();
  await requireStandby(first, '*');
  const synchronous = "SELECT FROM pg_stat_replication WHERE sync_state = 'sync'";
  while ((await first.run(synchronous)).length === 0) await Bun.sleep(50);
  return {
    first,
    second,
    /** Makes the second one a primary as well. Nobody tells the first one, which lives on as a primary. */
    async promoteSecond() {
      // A query that waits for the promotion could conflict with what the standby still replays, for half a minute.
      await second.run('SELECT pg_promote(wait => false)');
      while ((await second.run('SELECT pg_is_in_recovery() AS waits'))[0]?.['waits']) await Bun.sleep(20);
    },
    async [Symbol.asyncDispose]() {
      await second[Symbol.asyncDispose]();
      await first[Symbol.asyncDispose]();
    },
  };
}
