import { columnsOf } from '../../domain/table.ts';
import { orderTable, renderOrder, type OrderRow } from '../../domain/order.ts';
import { refusalError } from '../../domain/pet-change.ts';
import { idempotencyConflict } from '../../domain/idempotency.ts';
import type { OrderStore, PetStore } from '../../domain/store.ts';
import type { Registry } from '../../metrics/registry.ts';
import { createWriteMetrics, type WriteMetrics } from '../../metrics/writes.ts';
import { createBatcher } from '../batcher.ts';
import { createExpiry } from '../events.ts';
import type { Sql } from '../sql.ts';
import { createPageReader } from './pages.ts';
import { petJsonOf, selectPetRow, type PetRow } from './pet-row.ts';
import { createSearch } from './search.ts';
import { changePets, createPets, type ChangeRequest, type CreateRequest } from './writes.ts';

const selectPets = {
  name: 'select-pets',
  text: `SELECT ${selectPetRow} FROM pets WHERE id = ANY ($1::bigint[])`,
};

interface PetStoreOptions {
  checkWritable: PetStore['checkWritable'];
  now: () => number;
  maxQueued: number;
  metrics: Registry | undefined;
}

/** `close` refuses new writes and waits for the pending ones. */
export function createPetStore(sql: Sql, options: PetStoreOptions): PetStore & { close(): Promise<void> } {
  const { checkWritable, now, maxQueued, metrics: registry } = options;
  const metrics: WriteMetrics | undefined =
    registry &&
    createWriteMetrics(registry, {
      // The longest queue is the first to refuse.
      length: (): number => Math.max(creates.waiting, changes.waiting),
      capacity: maxQueued,
    });
  const limited = { maxQueued, metrics };
  const expire = createExpiry(sql, now);
  const create = (batch: CreateRequest[]) => createPets(sql, batch, now()).finally(expire);
  const creates = createBatcher(create, limited);
  const changes = createBatcher((batch: ChangeRequest[]) => changePets(sql, batch).finally(expire), limited);
  /** One query for all waiting requests. */
  const gets = createBatcher(async (ids: string[]) => {
    const rows = await sql.read<PetRow>(selectPets, [ids]);
    const jsonById = new Map(rows.map((row) => [row.id, petJsonOf(row)]));
    return ids.map((id) => jsonById.get(id));
  });

  const readPage = createPageReader(sql, { table: 'pets', columns: selectPetRow, render: petJsonOf });

  const change = async (request: ChangeRequest): Promise<string> => {
    const result = await changes.add(request);
    if (result === 'missing' || result === 'changed') throw refusalError(result);
    return result === 'deleted' ? '' : result.json;
  };

  return {
    // Undefined, because asking the server would take as long as reading a page.
    version: () => undefined,

    listPets: readPage,

    getPet: (id) => gets.add(String(id)),

    async createPet(pet, idempotency, createdBy) {
      const result = await creates.add({ pet, idempotency, createdBy });
      if (result === 'conflict') throw idempotencyConflict();
      return result;
    },

    updatePet: (id, update, seen, createdBy) =>
      change({ kind: 'update', id, ...update, seen, now: now(), createdBy }),

    async deletePet(id, seen, createdBy) {
      await change({ kind: 'delete', id, seen, now: now(), createdBy });
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
      columns: columnsOf(orderTable),
      render: (row: OrderRow) => renderOrder(orderTable.parse(row)),
    }),
  };
}
