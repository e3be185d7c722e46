import { PetstoreError } from '../error.ts';
import { fingerprintOf, idempotencyRetentionMs, type Idempotency, type NewPet } from '../pet.ts';
import type { Database } from './database.ts';
import { unavailable } from './errors.ts';
import { petJson } from './json.ts';

export interface CreateRequest {
  pet: NewPet;
  idempotency: Idempotency | undefined;
}

/** An error is that of this request alone. */
export type CreateResult = { id: bigint; json: string; replayed: boolean } | 'conflict' | Error;

const forgetEveryMs = 60_000;
const forgottenAtOnce = 1000;
/** A key may be freed, or taken by another replica, between two looks at it; but hardly time and again. */
const maxLooks = 10;

interface CreatedRow {
  ordinal: number;
  id: string;
  json: string;
}

// The ids are drawn beside their ordinals, so that no order of rows or of ids has to be trusted.
const insertPets = {
  name: 'insert-pets',
  text: `
    WITH request AS MATERIALIZED (
      SELECT nextval('pet_ids') AS id, given.*
      FROM unnest($1::text[], $2::bigint[], $3::text[]) WITH ORDINALITY
        AS given (name, category_id, status, ordinal)
    ), created AS (
      INSERT INTO pets (id, name, category_id, status) SELECT id, name, category_id, status FROM request
    )
    SELECT ordinal::integer, id::text, ${petJson} AS json FROM request`,
};

/**
 * The same with idempotency keys, still one statement and so one transaction. A key that is held makes its
 * row missing from the answer; one past its time is taken over, and so is one that holds an animal of $9. The
 * rows are locked in the order of the keys, so that two replicas with the same keys wait for each other and do
 * not deadlock.
 */
const insertPetsOnce = {
  name: 'insert-pets-once',
  text: `
    WITH request AS MATERIALIZED (
      SELECT nextval('pet_ids') AS id, given.*
      FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[]) WITH ORDINALITY
        AS given (name, category_id, status, caller, key, request_hash, ordinal)
    ), claimed AS (
      INSERT INTO idempotency_keys AS held (caller, key, request_hash, pet_id, created_at)
      SELECT caller, key, request_hash, id, $7::bigint FROM request WHERE key IS NOT NULL ORDER BY caller, key
      ON CONFLICT (caller, key) DO UPDATE SET
        request_hash = excluded.request_hash, pet_id = excluded.pet_id, created_at = excluded.created_at
      WHERE held.created_at < $8::bigint OR held.pet_id = ANY ($9::bigint[])
      RETURNING pet_id
    ), wanted AS (
      SELECT * FROM request WHERE key IS NULL OR id IN (SELECT pet_id FROM claimed)
    ), created AS (
      INSERT INTO pets (id, name, category_id, status) SELECT id, name, category_id, status FROM wanted
    )
    SELECT ordinal::integer, id::text, ${petJson} AS json FROM wanted`,
};

interface EarlierRow {
  ordinal: number;
  request_hash: string;
  pet_id: string;
  is_gone: boolean;
  json: string;
}

/**
 * A key and its animal are written together, so whoever sees the one without the other knows that the animal
 * was deleted. The insert cannot look for itself: it may meet a key whose animal is newer than its snapshot.
 */
const selectEarlier = {
  name: 'select-earlier',
  text: `
    SELECT ordinal::integer, request_hash, pet_id::text, id IS NULL AS is_gone, ${petJson} AS json
    FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS asked (caller, key, ordinal)
    JOIN idempotency_keys USING (caller, key) LEFT JOIN pets ON id = pet_id`,
};

const forgetOld = {
  name: 'forget-old',
  text: `
    DELETE FROM idempotency_keys WHERE created_at < $1::bigint AND (caller, key) IN (
      SELECT caller, key FROM idempotency_keys WHERE created_at < $1::bigint
      ORDER BY created_at LIMIT ${forgottenAtOnce})
    RETURNING 1 AS forgotten`,
};

/** Makes the function that creates a batch of animals in one transaction. */
export function createPetCreator(
  database: Database,
  now: () => number,
): (requests: CreateRequest[]) => Promise<CreateResult[]> {
  let nextForgettingAt = -Infinity;

  const insert = async (
    requests: CreateRequest[],
    gonePets: string[] = [],
    look = 1,
  ): Promise<CreateResult[]> => {
    const hasKeys = requests.some(({ idempotency }) => idempotency);
    const pets = requests.map(({ pet }) => pet);
    const petColumns = [
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
      ? await database.write<CreatedRow>(insertPetsOnce, [...petColumns, ...idempotencyColumns()])
      : await database.write<CreatedRow>(insertPets, petColumns);
    const results: (CreateResult | undefined)[] = requests.map(() => undefined);
    for (const { ordinal, id, json } of rows)
      results[ordinal - 1] = { id: BigInt(id), json, replayed: false };
    if (hasKeys) forget();
    const missing = requests.filter((_, index) => results[index] === undefined);
    // Those that were created are not to fail with the others.
    const replayed = await replay(missing, look).catch((error: Error) => missing.map(() => error));
    return results.map((result) => result ?? replayed.shift() ?? missingResult());
  };

  /** Requests whose key was held get the animal that holds it, or a new one when there is none any more. */
  const replay = async (requests: CreateRequest[], look: number): Promise<CreateResult[]> => {
    if (requests.length === 0) return [];
    const { earlier, gonePets } = await readEarlier(requests);
    const unheld = requests.filter((_, index) => earlier[index] === undefined);
    if (unheld.length > 0 && look === maxLooks)
      throw unavailable(new Error('A key is neither free nor held.'));
    const created = unheld.length === 0 ? [] : await insert(unheld, gonePets, look + 1);
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
    for (const { ordinal, request_hash: requestHash, pet_id: id, is_gone: isGone, json } of rows) {
      const request = requests[ordinal - 1];
      const isSame = request && fingerprintOf(request.pet) === requestHash;
      if (!isGone) earlier[ordinal - 1] = isSame ? { id: BigInt(id), json, replayed: true } : 'conflict';
    }
    return { earlier, gonePets: rows.filter((row) => row.is_gone).map((row) => row.pet_id) };
  };

  const forget = (): void => {
    if (now() < nextForgettingAt) return;
    nextForgettingAt = now() + forgetEveryMs;
    database.writeBeside(forgetOld, [now() - idempotencyRetentionMs]).then(
      ({ length }) => {
        if (length === forgottenAtOnce) nextForgettingAt = -Infinity;
      },
      // What could not be forgotten now is forgotten later; nobody waits for it.
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
  throw new PetstoreError('internal', 'A create gave no animal.');
}
