import { type Outcome, refusalError, type TimedChange } from '../../../domain/change.ts';
import { columnsOf, type OrderRow, orderTable } from '../../tables.ts';
import { renderOrder } from '../../../domain/order.ts';
import type { Registry } from '../../../metrics/registry.ts';
import { createWriteMetrics, type WriteMetrics } from '../../../metrics/writes.ts';
import { type Batcher, createBatcher } from '../../batcher.ts';
import type { OrderStore, PetStore } from '../../store.ts';
import { isStoreDown } from '../errors.ts';
import { createExpiry } from '../events.ts';
import { createReads } from '../reads.ts';
import type { Sql } from '../sessions.ts';
import { applyBatch } from './apply.ts';
import { createPageReader } from './pages.ts';
import { petJsonOf, type PetRow, petRowTypes, selectPetRow } from './pet-row.ts';
import { createSearch } from './search.ts';

const selectPets = {
  name: 'select-pets',
  text: `SELECT place::integer, ${selectPetRow}
    FROM unnest($1::bigint[]) WITH ORDINALITY AS asked (id, place) JOIN pets USING (id)`,
};

interface PetStoreOptions {
  checkWritable: PetStore['checkWritable'];
  now: () => number;
  maxQueued: number;
  metrics: Registry | undefined;
}

const createAdvice =
  'Repeat it with the same Idempotency-Key; without one, check first whether the pet is there.';
const changeAdvice = 'Get the pet to see whether it has changed.';
const maxWaitMs = 2500;
const mebibyte = 1024 * 1024;
/** Everything in a change but its name is small. */
const size = { of: nameLength, maxPerBatch: mebibyte, maxWaiting: 32 * mebibyte };

/** `close` refuses new writes and waits for the pending ones. */
export function createPetStore(sql: Sql, options: PetStoreOptions): PetStore & { close(): Promise<void> } {
  const { checkWritable, now, maxQueued, metrics: registry } = options;
  const metrics: WriteMetrics | undefined =
    registry &&
    createWriteMetrics(registry, {
      // The longest queue is the first to refuse.
      length: (): number => Math.max(creates.length, changes.length),
      capacity: maxQueued,
    });
  const expire = createExpiry(sql, now);
  const createQueue = (advice: string): Batcher<TimedChange, Outcome> =>
    createBatcher((batch) => sql.write((query) => applyBatch(query, batch), advice).finally(expire), {
      ...{ maxLength: maxQueued, maxWaitMs, size, isStoreDown, metrics },
    });
  // Apart, so that a create never waits for a pet that another session holds.
  const creates = createQueue(createAdvice);
  const changes = createQueue(changeAdvice);
  const readPage = createPageReader(sql, {
    table: 'pets',
    columns: selectPetRow,
    types: petRowTypes,
    render: petJsonOf,
  });

  return {
    // Undefined, because asking the server would take as long as reading a page.
    version: () => undefined,

    listPets: readPage,

    getPet: createReads(sql, {
      statement: selectPets,
      valuesOf: (id: bigint) => [String(id)],
      resultOf: (row: PetRow | undefined) => row && petJsonOf(row),
    }),

    async apply(change) {
      const queue = change.kind === 'create-pet' ? creates : changes;
      const outcome = await queue.add({ ...change, at: now() });
      if (typeof outcome === 'string') throw refusalError(outcome);
      return outcome;
    },

    searchPets: createSearch(sql, readPage),

    checkWritable,

    async close() {
      await Promise.all([creates.close(), changes.close()]);
    },
  };
}

export function createOrderStore(sql: Sql): OrderStore {
  return {
    listOrders: createPageReader(sql, {
      table: 'orders',
      columns: columnsOf(orderTable).join(', '),
      types: orderTable.columns,
      filter: `coalesce(status = wanted_status, true)
        AND coalesce((returned_at IS NOT NULL) = wanted_returned, true)`,
      render: (row: OrderRow) => renderOrder(orderTable.parse(row)),
    }),
  };
}

function nameLength(change: TimedChange): number {
  if (change.kind === 'create-pet') return change.pet.name.length;
  return change.kind === 'update-pet' ? (change.changes.name?.length ?? 0) : 0;
}
