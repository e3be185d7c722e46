import { columnsOf } from '../../domain/bulk-store.ts';
import { orderTable, renderOrder, type OrderRow } from '../../domain/order.ts';
import { idempotencyConflict } from '../../domain/pet.ts';
import type { OrderStore, PetStore } from '../../domain/store.ts';
import type { Batcher } from '../batcher.ts';
import type { CreateRequest, CreateResult } from './create.ts';
import type { Database } from '../database.ts';
import { createPageReader } from './pages.ts';
import { petJsonOf, selectPetRow, type PetRow } from './pet-row.ts';

export function createPetStore(
  creates: Batcher<CreateRequest, CreateResult>,
  gets: Batcher<string, string | undefined>,
  database: Database,
  checkWritable: PetStore['checkWritable'],
): Omit<PetStore, 'updatePet' | 'deletePet' | 'searchPets'> {
  return {
    // Asking the server would take as long as reading a page.
    version: () => undefined,

    listPets: createPageReader(database, { table: 'pets', columns: selectPetRow, render: petJsonOf }),

    getPet: (id) => gets.add(String(id)),

    async createPet(pet, idempotency, createdBy) {
      const result = await creates.add({ pet, idempotency, createdBy });
      if (result instanceof Error) throw result;
      if (result === 'conflict') throw idempotencyConflict();
      return result;
    },

    checkWritable,
  };
}

export function createOrderStore(database: Database): OrderStore {
  return {
    listOrders: createPageReader(database, {
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

/** Reads the pets of all who wait in one query. */
export async function readPets(database: Database, ids: string[]): Promise<(string | undefined)[]> {
  const rows = await database.read<PetRow>(selectPets, [ids]);
  const jsonById = new Map(rows.map((row) => [row.id, petJsonOf(row)]));
  return ids.map((id) => jsonById.get(id));
}
