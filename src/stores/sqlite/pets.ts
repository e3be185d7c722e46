import { refusalError } from '../../domain/change.ts';
import { pageOf } from '../../domain/paging.ts';
import { renderPet } from '../../domain/pet.ts';
import { isScan, type OrderStore, type PetStore } from '../store.ts';
import type { StoreParts } from './store-parts.ts';
import { findPets, selectPage } from './search.ts';
import { selectColumns } from './schema/sql.ts';
import { storedOrders, verifiedOrder, type OrderRow } from './schema/stored-order.ts';
import {
  damagedRow,
  selectJoinedPets,
  storedPetColumns,
  verifiedPage,
  verifiedWithId,
  type JoinedPets,
  type RenderedPet,
} from './schema/stored-pet.ts';

export function createPetStore({
  database,
  writer,
  readiness,
  searcher,
  freshness,
  now,
}: StoreParts): PetStore {
  const selectJoined = database.query<JoinedPets, [bigint, number]>(selectJoinedPets);
  const selectPet = database.query<RenderedPet, [bigint]>(
    `SELECT ${storedPetColumns} FROM pets WHERE id = ?1`,
  );

  return {
    version: () => freshness.version(),

    listPets(request) {
      return freshness.read(() => {
        const { limit, status, after } = request;
        // Ids start at 1, so 0 means from the start.
        const joined = status === undefined ? selectJoined.get(after ?? 0n, limit) : null;
        const page = joined && verifiedPage(joined, limit);
        // Read pet by pet if a joined page is not possible: gaps between ids, a last page, a filter. This also names a
        // damaged pet.
        return page ?? findPets(database, { sort: 'oldest', ...request });
      });
    },

    getPet(id) {
      return freshness.read(() => {
        const pet = selectPet.get(id);
        return pet ? verifiedWithId(pet, id) : undefined;
      });
    },

    async apply(change) {
      const outcome = await writer.apply({ ...change, at: now() });
      if (outcome === 'damaged') throw damagedRow('a pet', 'id' in change ? renderPet(change.id, '') : '');
      if (typeof outcome === 'string') throw refusalError(outcome);
      return outcome;
    },

    searchPets(request, signal) {
      if (isScan(request)) return searcher.search(request, signal);
      return freshness.read(() => findPets(database, request));
    },

    async checkWritable() {
      // Throws if the store was moved.
      freshness.version();
      await readiness.check();
    },
  };
}

export function createOrderStore({ database, freshness }: StoreParts): OrderStore {
  const orderColumns = selectColumns(storedOrders);

  return {
    listOrders(request) {
      const { petId, status, returned, limit } = request;
      const conditions = [
        ['pet_id = ?', petId] as const,
        ['status = ?', status] as const,
        // Literal conditions, so that SQLite uses the partial index of returned orders.
        [
          `returned_at IS ${returned ? 'NOT ' : ''}NULL AND ?`,
          returned === undefined ? undefined : 1,
        ] as const,
      ];
      const table = { name: 'orders', columns: orderColumns };
      return freshness.read(() =>
        pageOf(selectPage<OrderRow>(database, table, conditions, request), limit, verifiedOrder),
      );
    },
  };
}
