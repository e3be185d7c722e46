import type { Database } from 'bun:sqlite';
import { PetstoreError } from '../error.ts';
import {
  fingerprintOf,
  type CreatedPet,
  type Page,
  type PageRequest,
  type PetStatus,
  type PetStore,
} from '../pet.ts';
import { translateError } from './errors.ts';
import type { Freshness } from './fresh.ts';
import type { Job, JobResult } from './jobs.ts';
import type { PageCache } from './page-cache.ts';
import {
  idOf,
  renderFields,
  renderPet,
  selectJoinedPets,
  storedPetColumns,
  verified,
  verifiedPage,
  verifiedWithId,
  type JoinedPets,
  type StoredPet,
} from './stored-pet.ts';
import { ignore, type Writer } from './writer.ts';

export interface PetStoreParts {
  database: Database;
  writer: Writer;
  freshness: Freshness;
  pages: PageCache;
  now: () => number;
}

export function createPetStore(parts: PetStoreParts): PetStore {
  const { database, writer, freshness, pages, now } = parts;
  const select = `SELECT ${storedPetColumns} FROM pets WHERE`;
  // The plus matters: SQLite plans a query anew for each value of a bare parameter in a LIMIT, which takes 4 µs.
  const inOrder = 'ORDER BY id LIMIT +?2';
  // Ids seldom have gaps. Where there is none, SQLite joins a page by itself, which takes a tenth of a random page less
  // than a text for each pet.
  const selectJoined = database.query<JoinedPets, [bigint, number]>(selectJoinedPets);
  const selectPage = database.query<StoredPet, [bigint, number]>(`${select} id > ?1 ${inOrder}`);
  const selectPageOfStatus = database.query<StoredPet, [bigint, number, PetStatus]>(
    `${select} status = ?3 AND id > ?1 ${inOrder}`,
  );
  const selectPet = database.query<StoredPet, [bigint]>(`${select} id = ?1`);

  const readPage = ({ limit, status, after = 0n }: PageRequest): Page => {
    freshness.beginRead();
    // The service assigns ids from 1 up.
    const joined = status === undefined ? selectJoined.get(after, limit) : null;
    const page = joined ? verifiedPage(joined, limit) : undefined;
    if (page) return page;
    // Across a gap, not full, of one status, or to name the pet that is damaged: pet by pet, and one more than
    // asked for, which tells whether another page follows.
    const rows =
      status === undefined
        ? selectPage.all(after, limit + 1)
        : selectPageOfStatus.all(after, limit + 1, status);
    const shown = rows.slice(0, limit).map(verified);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    return { json: `[${shown.join(',')}]`, ...(last !== undefined && { next: idOf(last) }) };
  };

  return {
    listPets(request) {
      try {
        freshness.check();
        return pages.get(request, readPage);
      } catch (error) {
        throw translateError(error);
      }
    },

    getPet(id) {
      try {
        freshness.beginRead();
        const pet = selectPet.get(id);
        return pet ? verifiedWithId(pet, id) : undefined;
      } catch (error) {
        throw translateError(error);
      }
    },

    createPet(pet, idempotency) {
      const fields = renderFields(pet);
      const job: Job = { kind: 'create-pet', fields, status: pet.status ?? null };
      if (idempotency) {
        job.idempotency = { ...idempotency, requestHash: fingerprintOf(pet), now: now() };
      }
      return writer.run(job, (result) => createdPet(result, fields));
    },

    async checkWritable() {
      await writer.run({ kind: 'probe', now: now() }, ignore);
    },
  };
}

function createdPet(result: JobResult, fields: string): CreatedPet {
  if (typeof result === 'string') {
    return { id: BigInt(result), json: renderPet(result, fields), replayed: false };
  }
  if (!result) throw new Error('A create gave no pet.');
  if ('isConflict' in result) {
    throw new PetstoreError(
      'idempotency_conflict',
      'This Idempotency-Key was used for another pet. Send a new key for a new pet.',
    );
  }
  const { replayedId } = result;
  return { id: BigInt(replayedId), json: renderPet(replayedId, fields), replayed: true };
}
