import { PetstoreError } from '../../../../src/domain/error.ts';
import type { Store } from '../../../../src/stores/store.ts';
import type { Database } from '../../../support/postgres/server.ts';
import { createPet, deletePet, updatePet } from '../../../support/changes.ts';

/** Creates pets, sells them and deletes some, without a pause, and remembers what was acknowledged. */
export interface ChangeLoad {
  /** Of creates, updates and deletes. */
  readonly count: { readonly failures: number; readonly acknowledged: number };
  /** Resolves when so many more were acknowledged. */
  untilAcknowledged(more: number): Promise<void>;
  /** Waits for the changes under way, and returns what contradicts what callers were told. */
  stop(database: Runner): Promise<string[]>;
}

type Runner = Pick<Database, 'run'>;

/** What a caller knows of a change: that it was done, or that it may have been. */
type Outcome = 'done' | 'unknown';

interface Entry {
  id: bigint;
  sale?: Outcome;
  removal?: Outcome;
}

/** The stores must record orders. */
export function startChangeLoad(stores: Store[], workersPerStore = 10): ChangeLoad {
  const entries: Entry[] = [];
  const faults: string[] = [];
  const count = { failures: 0, acknowledged: 0 };
  const stopping = new AbortController();

  const attempt = async (change: Promise<unknown>): Promise<Outcome> => {
    try {
      await change;
      count.acknowledged += 1;
      return 'done';
    } catch (error) {
      const isExpected = error instanceof PetstoreError && ['unavailable', 'overloaded'].includes(error.code);
      if (!isExpected) faults.push(String(error));
      count.failures += 1;
      await Bun.sleep(20);
      return 'unknown';
    }
  };

  const work = async ({ pets }: Store, worker: number): Promise<void> => {
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
  const workers = stores.flatMap((store) =>
    Array.from({ length: workersPerStore }, (_, worker) => work(store, worker)),
  );

  return {
    count,
    async untilAcknowledged(more) {
      const enough = count.acknowledged + more;
      while (count.acknowledged < enough) await Promise.race([Bun.sleep(5), ...workers]);
    },
    async stop(database) {
      stopping.abort();
      await Promise.all(workers);
      return [...faults, ...(await findTornPets(database)), ...(await findFaults(database, entries))];
    },
  };
}

/** A pet and its orders are committed together: each pet that is left has those of its birth and of its sale. */
async function findTornPets(database: Runner): Promise<string[]> {
  const torn = await database.run(`
    SELECT pets.id, array_remove(array_agg(orders.status ORDER BY orders.id), NULL) AS orders
    FROM pets LEFT JOIN orders ON pet_id = pets.id GROUP BY pets.id, pets.folded_name, pets.status
    HAVING array_remove(array_agg(orders.status ORDER BY orders.id), NULL) IS DISTINCT FROM
      array_remove(ARRAY[nullif(pets.folded_name, 'available'), CASE WHEN pets.status = 'sold' THEN 'sold' END], NULL)`);
  return torn.map((row) => `torn: ${JSON.stringify(row)}`);
}

async function findFaults(database: Runner, entries: Entry[]): Promise<string[]> {
  const [pets, orders] = [
    await database.run('SELECT id, status FROM pets'),
    await database.run('SELECT pet_id, status FROM orders'),
  ];
  const statuses = new Map(pets.map(({ id, status }) => [BigInt(String(id)), status]));
  const sales = new Map<bigint, number>();
  for (const { pet_id: petId, status } of orders) {
    if (status === 'sold') sales.set(BigInt(String(petId)), (sales.get(BigInt(String(petId))) ?? 0) + 1);
  }
  return entries.flatMap(({ id, sale, removal }) => {
    const isThere = statuses.has(id);
    const soldTimes = sales.get(id) ?? 0;
    return [
      removal === 'done' && isThere && `${id} was deleted and is there`,
      removal === undefined && !isThere && `${id} is gone`,
      sale === 'done' && soldTimes !== 1 && `${id} was sold once and has ${soldTimes} orders`,
      sale === 'done' &&
        isThere &&
        statuses.get(id) !== 'sold' &&
        `${id} was sold and is ${String(statuses.get(id))}`,
      sale === undefined && soldTimes > 0 && `${id} was not sold and has an order`,
      soldTimes > 1 && `${id} has ${soldTimes} orders`,
    ].filter((fault) => fault !== false);
  });
}
