import { PetstoreError } from '../domain/error.ts';
import type { ExperimentalStore } from '../domain/experimental-store.ts';
import type { OrderStatus } from '../domain/order.ts';
import { pageOf, renderPet } from '../domain/pet.ts';
import { petChanged } from '../domain/pet-update.ts';
import type { StoreParts } from './parts.ts';
import { sentFields, type Refusal } from './pet-changes.ts';
import { orderRowColumns, verifiedOrder, type OrderRow } from './stored-order.ts';
import { damagedRow } from './stored-pet.ts';

export function createExperimentalStore({ database, writer, freshness, now }: StoreParts): ExperimentalStore {
  const select = `SELECT ${orderRowColumns} FROM orders WHERE`;
  // The plus matters, as for pets.
  const inOrder = 'ORDER BY orders.id LIMIT +?2';
  const selectPage = database.query<OrderRow, [bigint, number]>(`${select} id > ?1 ${inOrder}`);
  const selectPageOfStatus = database.query<OrderRow, [bigint, number, OrderStatus]>(
    `${select} status = ?3 AND id > ?1 ${inOrder}`,
  );

  return {
    async updatePet(id, { changes, expected }, seen) {
      const result = await writer.run({
        kind: 'update-pet',
        id: String(id),
        changes: sentFields(changes),
        ...(expected && { expected: sentFields(expected) }),
        ...(seen !== undefined && { seen }),
        now: now(),
      });
      if (typeof result === 'string') throw refusalOf(result, id);
      return result.json;
    },

    async deletePet(id, seen) {
      const job = { kind: 'delete-pet', id: String(id), ...(seen !== undefined && { seen }) } as const;
      const result = await writer.run(job);
      if (result !== 'deleted') throw refusalOf(result, id);
    },

    listOrders({ limit, status, after = 0n }) {
      return freshness.read(() => {
        const rows =
          status === undefined
            ? selectPage.all(after, limit + 1)
            : selectPageOfStatus.all(after, limit + 1, status);
        return pageOf(rows, limit, verifiedOrder);
      });
    },
  };
}

function refusalOf(refusal: Refusal, id: bigint): PetstoreError {
  switch (refusal) {
    case 'missing':
      return new PetstoreError('not_found', 'No pet has this id.');
    case 'changed':
      return petChanged();
    case 'damaged':
      return damagedRow('a pet', renderPet(id, ''));
  }
}
