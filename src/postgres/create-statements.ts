import type { PetColumns } from './dialect/dialect.ts';
import type { Statement } from './session/connection.ts';

export interface CreateStatements {
  insertPets: Statement;
  insertPetsOnce: Statement;
  selectEarlier: Statement;
}

export interface CreatedRow extends PetColumns {
  ordinal: string;
  id: string;
}

export interface EarlierRow extends PetColumns {
  ordinal: string;
  request_hash: string;
  pet_id: string;
  is_gone: boolean;
}

/** The statements that create pets and return the columns that the dialect asks for. */
export function createStatements(petColumns: string): CreateStatements {
  return {
    insertPets: insertPets(petColumns),
    insertPetsOnce: insertPetsOnce(petColumns),
    selectEarlier: selectEarlier(petColumns),
  };
}

export const forgottenAtOnce = 1000;

export const forgetOld = {
  name: 'forget-old',
  text: `
    DELETE FROM idempotency_keys WHERE created_at < $1::bigint AND (caller, key) IN (
      SELECT caller, key FROM idempotency_keys WHERE created_at < $1::bigint
      ORDER BY created_at LIMIT ${forgottenAtOnce})
    RETURNING 1 AS forgotten`,
};

/**
 * The ids are drawn beside their ordinals, so that no order of rows or of ids has to be trusted. A `WITH` query that draws
 * is run once, however often it is named: `nextval` is volatile.
 */
function insertPets(petColumns: string): Statement {
  return {
    name: 'insert-pets',
    text: `
      WITH request AS (
        SELECT nextval('pet_ids') AS id, given.*
        FROM unnest($1::text[], $2::bigint[], $3::text[]) WITH ORDINALITY
          AS given (name, category_id, status, ordinal)
      ), created AS (
        INSERT INTO pets (id, name, category_id, status) SELECT id, name, category_id, status FROM request
        RETURNING 1
      )
      SELECT ordinal::text, id::text, ${petColumns} FROM request`,
  };
}

/**
 * The same with idempotency keys, still one statement and so one transaction. A key that is held makes its
 * row missing from the answer; one past its time is taken over, and so is one that holds a pet of $9. The
 * rows are locked in the order of the keys, so that two replicas with the same keys wait for each other and do
 * not deadlock.
 */
function insertPetsOnce(petColumns: string): Statement {
  return {
    name: 'insert-pets-once',
    text: `
      WITH request AS (
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
        RETURNING 1
      )
      SELECT ordinal::text, id::text, ${petColumns} FROM wanted`,
  };
}

/**
 * A key and its pet are written together, so whoever sees the one without the other knows that the pet
 * was deleted. The insert cannot look for itself: it may meet a key whose pet is newer than its snapshot.
 */
function selectEarlier(petColumns: string): Statement {
  return {
    name: 'select-earlier',
    text: `
      SELECT ordinal::text, request_hash, pet_id::text, id IS NULL AS is_gone, ${petColumns}
      FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS asked (caller, key, ordinal)
      JOIN idempotency_keys USING (caller, key) LEFT JOIN pets ON id = pet_id`,
  };
}
