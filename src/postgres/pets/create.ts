import { PetstoreError, unavailable } from '../../domain/error.ts';
import {
  fingerprintOf,
  idempotencyRetentionMs,
  renderFields,
  renderPet,
  type Idempotency,
  type NewPet,
} from '../../domain/pet.ts';
import type { CreatedPet } from '../../domain/store.ts';
import {
  insertPets,
  insertPetsOnce,
  forgetOld,
  forgottenAtOnce,
  selectEarlier,
  type CreatedRow,
  type EarlierRow,
} from './create-statements.ts';
import type { Database } from '../database.ts';
import { newPetArrays } from './pet-row.ts';

export interface CreateRequest {
  pet: NewPet;
  idempotency: Idempotency | undefined;
  createdBy?: string | undefined;
}

/** An error is that of this request alone. */
export type CreateResult = CreatedPet | 'conflict' | Error;

type Results = Map<CreateRequest, CreateResult>;

const forgetEveryMs = 60_000;
/** A key may run out, or be taken by another replica, between two attempts; but hardly each time. */
const maxAttempts = 10;

/** Creates batches of pets, each in one transaction. A batch must not hold an idempotency key twice. */
export function createPetCreator(
  database: Database,
  now: () => number,
): (requests: CreateRequest[]) => Promise<CreateResult[]> {
  let nextForgettingAt = -Infinity;

  /** Leaves requests without a result whose key is held. */
  const insert = async (requests: CreateRequest[], results: Results): Promise<void> => {
    const pets = requests.map(({ pet }) => pet);
    const given = [...newPetArrays(pets), requests.map(({ createdBy }) => createdBy ?? null)];
    const hasKeys = requests.some(({ idempotency }) => idempotency);
    const rows = hasKeys
      ? await database.write<CreatedRow>(insertPetsOnce, [
          ...given,
          ...keyArrays(requests),
          pets.map(fingerprintOf),
          now(),
          now() - idempotencyRetentionMs,
        ])
      : await database.write<CreatedRow>(insertPets, [...given, now()]);
    for (const row of rows) {
      const request = requestOf(row, requests);
      results.set(request, createdPet(row.id, request, false));
    }
    if (hasKeys) forget();
  };

  /** Requests whose key is held get the first response again, whatever has become of its pet. */
  const replay = async (requests: CreateRequest[], results: Results): Promise<void> => {
    for (const row of await database.read<EarlierRow>(selectEarlier, keyArrays(requests))) {
      const request = requestOf(row, requests);
      const isSame = fingerprintOf(request.pet) === row.request_hash;
      results.set(request, isSame ? createdPet(row.id, request, true) : 'conflict');
    }
  };

  const forget = (): void => {
    if (now() < nextForgettingAt) return;
    nextForgettingAt = now() + forgetEveryMs;
    database.writeBeside(forgetOld, [now() - idempotencyRetentionMs]).then(
      ({ length }) => {
        if (length === forgottenAtOnce) nextForgettingAt = -Infinity;
      },
      // What could not be forgotten now is forgotten later.
      () => {},
    );
  };

  return async (requests) => {
    const results: Results = new Map();
    const missing = () => requests.filter((request) => !results.has(request));
    await insert(requests, results);
    try {
      for (let attempt = 1; missing().length > 0; attempt++) {
        if (attempt === maxAttempts) throw unavailable(new Error('A key is neither free nor held.'));
        await replay(missing(), results);
        if (missing().length > 0) await insert(missing(), results);
      }
    } catch (error) {
      // Pets that were created must not fail with the others.
      for (const request of missing()) results.set(request, error as Error);
    }
    return requests.map((request) => results.get(request) ?? missingRow());
  };
}

/** Equal for requests with the same idempotency key; undefined for one without. */
export function keyOf({ idempotency }: CreateRequest): string | undefined {
  return idempotency && JSON.stringify([idempotency.caller, idempotency.key]);
}

function keyArrays(requests: CreateRequest[]): (string | null)[][] {
  return [
    requests.map(({ idempotency }) => idempotency?.caller ?? null),
    requests.map(({ idempotency }) => idempotency?.key ?? null),
  ];
}

function requestOf({ ordinal }: CreatedRow, requests: CreateRequest[]): CreateRequest {
  return requests[Number(ordinal) - 1] ?? missingRow();
}

/** Rendered from the request: the same fingerprint means the same fields. */
function createdPet(id: string, { pet }: CreateRequest, replayed: boolean): CreatedPet {
  return { id: BigInt(id), json: renderPet(id, renderFields(pet)), replayed };
}

function missingRow(): never {
  throw new PetstoreError('internal', 'A create gave no pet.');
}
