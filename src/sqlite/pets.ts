import type { Database } from 'bun:sqlite';
import { petNotFound, type PetstoreError } from '../domain/error.ts';
import type { ExperimentalStore } from '../domain/experimental-store.ts';
import { orderedStatus, type OrderStatus } from '../domain/order.ts';
import {
  fingerprintOf,
  idempotencyConflict,
  pageOf,
  renderFields,
  renderPet,
  type PetStatus,
  type PetStore,
} from '../domain/pet.ts';
import { petChanged } from '../domain/pet-update.ts';
import type { Job } from './jobs.ts';
import type { StoreParts } from './open.ts';
import type { Refusal } from './pet-changes.ts';
import { orderRowColumns, verifiedOrder, type OrderRow } from './stored-order.ts';
import {
  damagedRow,
  selectJoinedPets,
  storedPetColumns,
  verified,
  verifiedPage,
  verifiedWithId,
  type JoinedPets,
  type RenderedPet,
} from './stored-pet.ts';

export function createPetStore({ database, writer, freshness, now }: StoreParts): PetStore {
  const selectJoined = database.query<JoinedPets, [bigint, number]>(selectJoinedPets);
  const selectPage = createPageReader<RenderedPet>(database, 'pets', storedPetColumns);
  const selectPet = database.query<RenderedPet, [bigint]>(
    `SELECT ${storedPetColumns} FROM pets WHERE id = ?1`,
  );

  return {
    version: () => freshness.version(),

    listPets(request) {
      return freshness.read(() => {
        // Ids start at 1.
        const { limit, status, after = 0n } = request;
        const joined = status === undefined ? selectJoined.get(after, limit) : null;
        const page = joined && verifiedPage(joined, limit);
        // Pet by pet what a joined page cannot: gaps between ids, a last page, a filter. Also names a damaged pet.
        return page ?? pageOf(selectPage(request), limit, verified);
      });
    },

    getPet(id) {
      return freshness.read(() => {
        const pet = selectPet.get(id);
        return pet ? verifiedWithId(pet, id) : undefined;
      });
    },

    async createPet(pet, idempotency) {
      const fields = renderFields(pet);
      const job: Job & { kind: 'create-pet' } = { kind: 'create-pet', fields, status: pet.status ?? null };
      if (idempotency) {
        job.idempotency = { ...idempotency, requestHash: fingerprintOf(pet), now: now() };
      }
      const ordered = orderedStatus(undefined, pet);
      if (ordered) job.order = { status: ordered, createdAt: now() };
      const created = await writer.run(job);
      if (created === 'conflict') throw idempotencyConflict();
      const { id, replayed } = created;
      return { id, json: renderPet(id, fields), replayed };
    },

    async checkWritable() {
      const sql = 'UPDATE write_probe SET probed_at = ?1';
      await writer.run({ kind: 'execute', sql, values: [now()] });
    },
  };
}

export function createExperimentalStore({ database, writer, freshness, now }: StoreParts): ExperimentalStore {
  const selectPage = createPageReader<OrderRow>(database, 'orders', orderRowColumns);

  return {
    async updatePet(id, update, seen) {
      const result = await writer.run({ kind: 'update-pet', id, ...update, seen, now: now() });
      if (typeof result === 'string') throw refusalOf(result, id);
      return result.json;
    },

    async deletePet(id, seen) {
      const result = await writer.run({ kind: 'delete-pet', id, seen });
      if (result !== 'deleted') throw refusalOf(result, id);
    },

    listOrders(request) {
      return freshness.read(() => pageOf(selectPage(request), request.limit, verifiedOrder));
    },
  };
}

/** Reads one row more than a page holds, which tells whether another page follows. */
function createPageReader<Row>(database: Database, table: 'pets' | 'orders', columns: string) {
  const select = `SELECT ${columns} FROM ${table} WHERE`;
  // The plus matters: SQLite plans a query again for each value of a bare parameter in LIMIT.
  const inOrder = `ORDER BY ${table}.id LIMIT +?2`;
  const selectAny = database.query<Row, [bigint, number]>(`${select} id > ?1 ${inOrder}`);
  const selectOfStatus = database.query<Row, [bigint, number, PetStatus | OrderStatus]>(
    `${select} status = ?3 AND id > ?1 ${inOrder}`,
  );
  return (request: { limit: number; status?: PetStatus | OrderStatus; after?: bigint }): Row[] => {
    // Ids start at 1.
    const { limit, status, after = 0n } = request;
    return status === undefined
      ? selectAny.all(after, limit + 1)
      : selectOfStatus.all(after, limit + 1, status);
  };
}

function refusalOf(refusal: Refusal, id: bigint): PetstoreError {
  switch (refusal) {
    case 'missing':
      return petNotFound();
    case 'changed':
      return petChanged();
    case 'damaged':
      return damagedRow('a pet', renderPet(id, ''));
  }
}
