import { orderedStatus } from '../domain/order.ts';
import {
  fingerprintOf,
  idempotencyConflict,
  pageOf,
  renderFields,
  renderPet,
  type Page,
  type PageRequest,
  type PetStatus,
  type PetStore,
} from '../domain/pet.ts';
import type { Job } from './jobs.ts';
import type { StoreParts } from './parts.ts';
import {
  selectJoinedPets,
  storedPetColumns,
  verified,
  verifiedPage,
  verifiedWithId,
  type JoinedPets,
  type RenderedPet,
} from './stored-pet.ts';

export function createPetStore(parts: StoreParts & { recordsOrders: boolean }): PetStore {
  const { database, writer, freshness, now, recordsOrders } = parts;
  const select = `SELECT ${storedPetColumns} FROM pets WHERE`;
  // The plus matters: SQLite plans a query again for each value of a bare parameter in LIMIT.
  const inOrder = 'ORDER BY id LIMIT +?2';
  const selectJoined = database.query<JoinedPets, [bigint, number]>(selectJoinedPets);
  const selectPage = database.query<RenderedPet, [bigint, number]>(`${select} id > ?1 ${inOrder}`);
  const selectPageOfStatus = database.query<RenderedPet, [bigint, number, PetStatus]>(
    `${select} status = ?3 AND id > ?1 ${inOrder}`,
  );
  const selectPet = database.query<RenderedPet, [bigint]>(`${select} id = ?1`);

  /** Handles what a joined page cannot: gaps between ids, a last page, a filter. Also names a damaged pet. */
  const readPetByPet = ({ limit, status }: PageRequest, after: bigint): Page => {
    const rows =
      status === undefined
        ? selectPage.all(after, limit + 1)
        : selectPageOfStatus.all(after, limit + 1, status);
    return pageOf(rows, limit, verified);
  };

  return {
    version: () => freshness.version(),

    listPets(request) {
      return freshness.read(() => {
        // Ids start at 1.
        const { limit, status, after = 0n } = request;
        const joined = status === undefined ? selectJoined.get(after, limit) : null;
        return (joined && verifiedPage(joined, limit)) ?? readPetByPet(request, after);
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
      const ordered = recordsOrders ? orderedStatus(undefined, pet) : undefined;
      if (ordered) job.order = { status: ordered, createdAt: now() };
      const created = await writer.run(job);
      if (created === 'conflict') throw idempotencyConflict();
      const { id, replayed } = created;
      return { id: BigInt(id), json: renderPet(id, fields), replayed };
    },

    async checkWritable() {
      await writer.run({ kind: 'probe', now: now() });
    },
  };
}
