import {
  idempotencyConflict,
  type Page,
  type PageRequest,
  type PetStatus,
  type PetStore,
} from '../../domain/pet.ts';
import { createBatcher, type Batcher } from '../batcher.ts';
import type { CreateRequest, CreateResult } from './create.ts';
import type { Database } from '../database.ts';
import { readPages } from './pages.ts';
import { petColumns, petJsonOf, type PetRow } from './pet-row.ts';
import type { Readiness } from '../readiness.ts';
import { createSharedRead } from './shared-read.ts';

/** One for each filter. */
type PageBatchers = Record<PetStatus | 'all', Batcher<PageRequest, Page>>;

export function createPetStore(
  creates: Batcher<CreateRequest, CreateResult>,
  gets: Batcher<string, string | undefined>,
  pages: PageBatchers,
  readiness: Readiness,
): PetStore {
  const sharePage = createSharedRead<Page>();

  return {
    // Asking the server would take as long as reading a page.
    version: () => undefined,

    listPets(request) {
      const { limit, status, after } = request;
      const batcher = pages[status ?? 'all'];
      return sharePage(`${limit} ${status ?? ''} ${after ?? ''}`, () => batcher.add(request));
    },

    getPet: (id) => gets.add(String(id)),

    async createPet(pet, idempotency) {
      const result = await creates.add({ pet, idempotency });
      if (result instanceof Error) throw result;
      if (result === 'conflict') throw idempotencyConflict();
      return result;
    },

    checkWritable: () => readiness.check(),
  };
}

const selectPets = {
  name: 'select-pets',
  text: `SELECT ${petColumns} FROM pets WHERE id = ANY ($1::bigint[])`,
};

/** Reads the pets of all who wait in one query. */
export async function readPets(database: Database, ids: string[]): Promise<(string | undefined)[]> {
  const rows = await database.read<PetRow>(selectPets, [ids]);
  const jsonById = new Map(rows.map((row) => [row.id, petJsonOf(row)]));
  return ids.map((id) => jsonById.get(id));
}

export function createPageBatchers(database: Database): PageBatchers {
  const batcher = (status?: PetStatus) =>
    createBatcher({
      run: (requests: PageRequest[]) => readPages(database, status, requests),
      // Counted in pets, so that a batch of the longest pages stays small.
      sizeOf: ({ limit }) => limit,
      maxPerBatch: 640,
      // Pages are gathered only under load: one that waits for others comes later than it could.
      maxAtOnce: 6,
    });
  return {
    all: batcher(),
    available: batcher('available'),
    pending: batcher('pending'),
    sold: batcher('sold'),
  };
}
