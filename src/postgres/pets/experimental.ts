import { PetstoreError } from '../../domain/error.ts';
import type { ExperimentalStore } from '../../domain/experimental-store.ts';
import type { Page } from '../../domain/pet.ts';
import { petChanged } from '../../domain/pet-update.ts';
import type { Batcher } from '../batcher.ts';
import type { ChangeResult, DeleteRequest, DeleteResult, UpdateRequest, UpdateResult } from './change.ts';
import { expectationOf } from './expectation.ts';
import { readOrders } from './orders.ts';
import type { Reader } from './pages.ts';
import { petJsonOf } from './pet-row.ts';
import { createSharedRead } from './shared-read.ts';

export function createExperimentalStore(
  updates: Batcher<UpdateRequest, UpdateResult>,
  deletes: Batcher<DeleteRequest, DeleteResult>,
  database: Reader,
): ExperimentalStore {
  const sharePage = createSharedRead<Page>();

  return {
    async updatePet(id, { changes, expected }, seen) {
      const result = await updates.add({ id, changes, expected: expectationOf(id, seen, expected) });
      return petJsonOf(changedRow(result));
    },

    async deletePet(id, seen) {
      changedRow(await deletes.add({ id, expected: expectationOf(id, seen) }));
    },

    listOrders(request) {
      const { limit, status, after } = request;
      return sharePage(`${limit} ${status ?? ''} ${after ?? ''}`, () => readOrders(database, request));
    },
  };
}

function changedRow<Row>(result: ChangeResult<Row>): Row {
  if (result === 'missing') throw new PetstoreError('not_found', 'No pet has this id.');
  if (result === 'unexpected') throw petChanged();
  return result;
}
