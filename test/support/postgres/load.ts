import { PetstoreError } from '../../../src/domain/error.ts';
import type { PetStore } from '../../../src/domain/store.ts';
import type { Cluster } from './cluster.ts';

/** Creates pets without end, each with a name of its own, and keeps account of the answers. */
export interface Load {
  /** The id that each acknowledged name was given. */
  acknowledged: Map<string, bigint>;
  /** Resolves when so many more have been acknowledged. */
  untilAcknowledged(count: number): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Every second pet carries an idempotency key and is asked for again until it is acknowledged. The others
 * are asked for once: when that fails, nobody knows whether they exist.
 */
export function startLoad(stores: Pick<PetStore, 'createPet'>[]): Load {
  const acknowledged = new Map<string, bigint>();
  const stopping = new AbortController();
  let next = 0;

  const create = async (
    store: Pick<PetStore, 'createPet'>,
    name: string,
    key: string | undefined,
  ): Promise<void> => {
    try {
      const idempotency = key === undefined ? undefined : { caller: 'load', key };
      const { id } = await store.createPet({ name, categoryId: 1n }, idempotency);
      acknowledged.set(name, id);
    } catch (error) {
      if (!(error instanceof PetstoreError) || error.code !== 'unavailable') throw error;
      await Bun.sleep(10);
      // Those with a key are settled to the end, so that their count can be exact.
      if (key !== undefined) await create(store, name, key);
    }
  };

  const running = Array.from({ length: 6 }, async (_, creator) => {
    while (!stopping.signal.aborted) {
      const name = `pet ${next++}`;
      await create(stores[creator % stores.length]!, name, creator % 2 === 0 ? name : undefined);
    }
  });

  return {
    acknowledged,
    async untilAcknowledged(count) {
      const goal = acknowledged.size + count;
      while (acknowledged.size < goal) await Promise.race([Bun.sleep(5), ...running]);
    },
    async stop() {
      stopping.abort();
      await Promise.all(running);
    },
  };
}

/** What the database says against the acknowledgements: pets that are lost, doubled or not what was said. */
export async function findFaults({ acknowledged }: Load, cluster: Cluster): Promise<string[]> {
  const rows = (await cluster.run('SELECT id::text, name FROM pets')) as {
    id: string;
    name: string;
  }[];
  const idsOfName = Map.groupBy(rows, ({ name }) => name);
  const doubled = [...idsOfName]
    .filter(([, found]) => found.length > 1)
    .map(([name]) => `${name} is doubled`);
  const wrong = [...acknowledged]
    .filter(([name, id]) => idsOfName.get(name)?.[0]?.id !== String(id))
    .map(([name, id]) => `${name} is not under ${id}`);
  return [...doubled, ...wrong];
}

/** Resolves when the service has noticed; the sessions of a killed server live on for a moment. */
export async function untilUnavailable(store: PetStore): Promise<void> {
  const isWritable = () =>
    store.checkWritable().then(
      () => true,
      (error: unknown) => !(error instanceof PetstoreError && error.code === 'unavailable'),
    );
  while (await isWritable()) await Bun.sleep(5);
}

/** How long the service needs until a create succeeds again. */
export async function msUntilWritable(store: PetStore): Promise<number> {
  const startedAt = performance.now();
  for (;;) {
    try {
      await store.checkWritable();
      return performance.now() - startedAt;
    } catch {
      await Bun.sleep(20);
    }
  }
}
