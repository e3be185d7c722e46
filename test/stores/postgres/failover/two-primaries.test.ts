import { expect, it } from 'bun:test';
import { PetstoreError } from '../../../../src/domain/error.ts';
import { createRegistry } from '../../../../src/metrics/registry.ts';
import { issueKey } from '../../../../src/stores/issue-key.ts';
import { openPostgresStore } from '../../../../src/stores/postgres/open.ts';
import type { Store } from '../../../../src/stores/store.ts';
import { createLog } from '../../../../src/system/log.ts';
import { createPet, deletePet, updatePet } from '../../../support/changes.ts';
import { codeOf } from '../../../support/code-of.ts';
import { failureOf } from '../../../support/failure.ts';
import { scrapeRegistry } from '../../../support/metrics/scrape.ts';
import type { Cluster } from '../../../support/postgres/cluster.ts';
import { untilUnavailable, untilAvailable } from '../availability.ts';
import { openProxy } from '../proxy.ts';
import { makePair } from '../standby.ts';

// The name tells the load that no order belongs to it.
const rex = { name: 'available', categoryId: 1n };

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
  expect(await load.stop(pair.second)).toEqual([]);
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
  for (let call = 0; call < 20; call++) {
    expect(await codeOf(Promise.resolve(store.pets.getPet(after.id)))).toBe('unavailable');
    await Bun.sleep(50);
  }
  await pair.second.start();
  proxy.moveTo(pair.second.port);
  await untilAvailable(store.pets);
  expect(await store.pets.getPet(after.id)).toBe(after.json);
  await store.close();
});

/** What a caller knows of a change: that it was done, or that it may have been. */
type Outcome = 'done' | 'unknown';

interface Entry {
  id: bigint;
  sale?: Outcome;
  removal?: Outcome;
}

/** Creates pets, sells them and deletes some, without a pause, and remembers what was acknowledged. */
function startLoad({ pets }: Store, workerCount = 10) {
  const entries: Entry[] = [];
  const faults: string[] = [];
  const count = { acknowledged: 0 };
  const stopping = new AbortController();

  const attempt = async (change: Promise<unknown>): Promise<Outcome> => {
    try {
      await change;
      count.acknowledged += 1;
      return 'done';
    } catch (error) {
      const isExpected = error instanceof PetstoreError && ['unavailable', 'overloaded'].includes(error.code);
      if (!isExpected) faults.push(String(error));
      await Bun.sleep(20);
      return 'unknown';
    }
  };

  const work = async (worker: number): Promise<void> => {
    for (let turn = worker; !stopping.signal.aborted; turn++) {
      let id: bigint | undefined;
      const status = turn % 2 ? 'pending' : 'available';
      await attempt(
        pets.apply(createPet({ name: status, categoryId: 1n, status })).then((created) => (id = created.id)),
      );
      if (id === undefined) continue;
      const entry: Entry = { id };
      entries.push(entry);
      if (turn % 5 === 0) continue;
      entry.sale = await attempt(pets.apply(updatePet(id, { changes: { status: 'sold' } })));
      if (turn % 3 === 0) entry.removal = await attempt(pets.apply(deletePet(id)));
    }
  };
  const workers = Array.from({ length: workerCount }, (_, worker) => work(worker));

  return {
    async untilAcknowledged(more: number) {
      const enough = count.acknowledged + more;
      while (count.acknowledged < enough) await Promise.race([Bun.sleep(5), ...workers]);
    },
    /** Waits for the changes under way, and returns what contradicts what callers were told. */
    async stop(database: Cluster) {
      stopping.abort();
      await Promise.all(workers);
      return [...faults, ...(await findTornPets(database)), ...(await findFaults(database, entries))];
    },
  };
}

/** A pet and its orders are committed together: each pet that is left has those of its birth and of its sale. */
async function findTornPets(database: Cluster): Promise<string[]> {
  const torn = await database.run(`
    SELECT pets.id, array_remove(array_agg(orders.status ORDER BY orders.id), NULL) AS orders
    FROM pets LEFT JOIN orders ON pet_id = pets.id GROUP BY pets.id, pets.folded_name, pets.status
    HAVING array_remove(array_agg(orders.status ORDER BY orders.id), NULL) IS DISTINCT FROM
      array_remove(ARRAY[nullif(pets.folded_name, 'available'), CASE WHEN pets.status = 'sold' THEN 'sold' END], NULL)`);
  return torn.map((row) => `torn: ${JSON.stringify(row)}`);
}

async function findFaults(database: Cluster, entries: Entry[]): Promise<string[]> {
  const pets = await database.run('SELECT id::text, status FROM pets');
  const sold = await database.run(`SELECT pet_id::text AS id FROM orders WHERE status = 'sold'`);
  const statuses = new Map(pets.map(({ id, status }) => [id, status]));
  const sales = Map.groupBy(sold, ({ id }) => id);
  return entries.flatMap(({ id, sale, removal }) => {
    const isThere = statuses.has(String(id));
    const status = String(statuses.get(String(id)));
    const orders = sales.get(String(id))?.length ?? 0;
    return [
      removal === 'done' && isThere && `${id} was deleted and is there`,
      removal === undefined && !isThere && `${id} is gone`,
      sale === 'done' && orders !== 1 && `${id} was sold once and has ${orders} orders`,
      sale === 'done' && isThere && status !== 'sold' && `${id} was sold and is ${status}`,
      sale === undefined && orders > 0 && `${id} was not sold and has an order`,
      orders > 1 && `${id} has ${orders} orders`,
    ].filter((fault) => fault !== false);
  });
}
