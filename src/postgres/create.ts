import { PetstoreError } from '../error.ts';
import { fingerprintOf, idempotencyRetentionMs, type Idempotency, type NewPet } from '../pet.ts';
import {
  forgetOld,
  forgottenAtOnce,
  insertPets,
  insertPetsOnce,
  selectEarlier,
  type CreatedRow,
  type EarlierRow,
} from './create-statements.ts';
import type { Database } from './database.ts';
import { unavailable } from './errors.ts';
import { renderPet } from './pet-row.ts';

export interface CreateRequest {
  pet: NewPet;
  idempotency: Idempotency | undefined;
}

/** An error is that of this request alone. */
export type CreateResult = { id: bigint; json: string; replayed: boolean } | 'conflict' | Error;

const forgetEveryMs = 60_000;
/** A key may be freed, or taken by another replica, between two attempts; but hardly each time. */
const maxAttempts = 10;

/** Makes the function that creates a batch of pets in one transaction. */
export function createPetCreator(
  database: Database,
  now: () => number,
): (requests: CreateRequest[]) => Promise<CreateResult[]> {
  let nextForgettingAt = -Infinity;

  const insert = async (
    requests: CreateRequest[],
    gonePets: string[] = [],
    attempt = 1,
  ): Promise<CreateResult[]> => {
    const hasKeys = requests.some(({ idempotency }) => idempotency);
    const pets = requests.map(({ pet }) => pet);
    const valuesOfPets = [
      pets.map(({ name }) => name),
      pets.map(({ categoryId }) => String(categoryId)),
      pets.map(({ status }) => status ?? null),
    ];
    const idempotencyColumns = () => [
      requests.map(({ idempotency }) => idempotency?.caller ?? null),
      requests.map(({ idempotency }) => idempotency?.key ?? null),
      requests.map(({ pet }) => fingerprintOf(pet)),
      now(),
      now() - idempotencyRetentionMs,
      gonePets,
    ];
    const rows = hasKeys
      ? await database.write<CreatedRow>(insertPetsOnce, [...valuesOfPets, ...idempotencyColumns()])
      : await database.write<CreatedRow>(insertPets, valuesOfPets);
    const results: (CreateResult | undefined)[] = requests.map(() => undefined);
    for (const row of rows)
      results[Number(row.ordinal) - 1] = { id: BigInt(row.id), json: renderPet(row), replayed: false };
    if (hasKeys) forget();
    const missing = requests.filter((_, index) => results[index] === undefined);
    // Pets that were created must not fail with the others.
    const replayed = await replay(missing, attempt).catch((error: Error) => missing.map(() => error));
    return results.map((result) => result ?? replayed.shift() ?? missingResult());
  };

  /** Requests whose key was held get the pet that holds it, or a new one when there is none any more. */
  const replay = async (requests: CreateRequest[], attempt: number): Promise<CreateResult[]> => {
    if (requests.length === 0) return [];
    const { earlier, gonePets } = await readEarlier(requests);
    const unheld = requests.filter((_, index) => earlier[index] === undefined);
    if (unheld.length > 0 && attempt === maxAttempts)
      throw unavailable(new Error('A key is neither free nor held.'));
    const created = unheld.length === 0 ? [] : await insert(unheld, gonePets, attempt + 1);
    return earlier.map((result) => result ?? created.shift() ?? missingResult());
  };

  const readEarlier = async (
    requests: CreateRequest[],
  ): Promise<{ earlier: (CreateResult | undefined)[]; gonePets: string[] }> => {
    const rows = await database.read<EarlierRow>(selectEarlier, [
      requests.map(({ idempotency }) => idempotency?.caller ?? null),
      requests.map(({ idempotency }) => idempotency?.key ?? null),
    ]);
    const earlier: (CreateResult | undefined)[] = requests.map(() => undefined);
    for (const row of rows) {
      const { ordinal, request_hash: requestHash, id, is_gone: isGone } = row;
      const index = Number(ordinal) - 1;
      const request = requests[index];
      const isSame = request && fingerprintOf(request.pet) === requestHash;
      if (isGone) continue;
      earlier[index] = isSame ? { id: BigInt(id), json: renderPet(row), replayed: true } : 'conflict';
    }
    return { earlier, gonePets: rows.filter((row) => row.is_gone).map(({ id }) => id) };
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
    const { first, positions } = withoutRepeats(requests);
    const results = await insert(first);
    return requests.map((request, index) => {
      const position = positions[index] ?? 0;
      const result = results[position] ?? missingResult();
      if (first[position] === request || result === 'conflict' || result instanceof Error) return result;
      const isSame = fingerprintOf(request.pet) === fingerprintOf(first[position]?.pet ?? request.pet);
      return isSame ? { ...result, replayed: true } : 'conflict';
    });
  };
}

/** Requests with the same key in one batch: only the first goes to the database, the others follow it. */
function withoutRepeats(requests: CreateRequest[]): { first: CreateRequest[]; positions: number[] } {
  const first: CreateRequest[] = [];
  const positionOfKey = new Map<string, number>();
  const positions = requests.map((request) => {
    const { idempotency } = request;
    const key = idempotency && JSON.stringify([idempotency.caller, idempotency.key]);
    const known = key === undefined ? undefined : positionOfKey.get(key);
    if (known !== undefined) return known;
    if (key !== undefined) positionOfKey.set(key, first.length);
    return first.push(request) - 1;
  });
  return { first, positions };
}

function missingResult(): never {
  throw new PetstoreError('internal', 'A create gave no pet.');
}
