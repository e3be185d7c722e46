import { columnsOf } from '../../domain/table.ts';
import { orderTable, renderOrder, type OrderRow } from '../../domain/order.ts';
import { refusalError } from '../../domain/pet-change.ts';
import { idempotencyConflict } from '../../domain/idempotency.ts';
import type { OrderStore, PetStore } from '../../domain/store.ts';
import type { Batcher } from '../batcher.ts';
import type { Sql } from '../sql.ts';
import { createPageReader } from './pages.ts';
import { petJsonOf, selectPetRow, type PetRow } from './pet-row.ts';
import { createSearch } from './search.ts';
import type { ChangeRequest, ChangeResult, CreateRequest, CreateResult } from './writes.ts';

interface PetStoreParts {
  sql: Sql;
  creates: Batcher<CreateRequest, CreateResult>;
  changes: Batcher<ChangeRequest, ChangeResult>;
  gets: Batcher<string, string | undefined>;
  checkWritable: PetStore['checkWritable'];
  now: () => number;
}

export function createPetStore({ sql, creates, changes, gets, checkWritable, now }: PetStoreParts): PetStore {
  const change = async (request: ChangeRequest): Promise<string> => {
    const result = await changes.add(request);
    if (result === 'missing' || result === 'changed') throw refusalError(result);
    return result === 'deleted' ? '' : result.json;
  };

  return {
    // Undefined, because asking the server would take as long as reading a page.
    version: () => undefined,

    listPets: createPageReader(sql, { table: 'pets', columns: selectPetRow, render: petJsonOf }),

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

    searchPets: createSearch(sql),

    checkWritable,
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

const selectPets = {
  name: 'select-pets',
  text: `SELECT ${selectPetRow} FROM pets WHERE id = ANY ($1::bigint[])`,
};

/** Reads the pets of all waiting requests in one query. */
export async function readPets(sql: Sql, ids: string[]): Promise<(string | undefined)[]> {
  const rows = await sql.read<PetRow>(selectPets, [ids]);
  const jsonById = new Map(rows.map((row) => [row.id, petJsonOf(row)]));
  return ids.map((id) => jsonById.get(id));
}
