import { petColumns, type PetRow } from './pet-row.ts';

export interface CreatedRow extends PetRow {
  /** The position of its request in the batch, from 1. */
  ordinal: string;
}

export interface EarlierRow extends CreatedRow {
  request_hash: string;
  /** The pet was deleted; only its id is left. */
  is_gone: boolean;
}

export const insertPets = {
  name: 'insert-pets',
  text: `
    WITH request AS (
      ${requests('$1::text[], $2::bigint[], $3::text[]', 'name, category_id, status')}
    ), ${insertAndReturn('request')}`,
};

/**
 * The same with idempotency keys, still one statement and so one transaction. A key that is held leaves its request
 * without a row; one past its time is taken over, and so is one that holds a pet of $9. The rows are locked in the
 * order of the keys, so that two replicas with the same keys wait for each other and do not deadlock.
 */
export const insertPetsOnce = {
  name: 'insert-pets-once',
  text: `
    WITH request AS (
      ${requests(
        '$1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[]',
        'name, category_id, status, caller, key, request_hash',
      )}
    ), claimed AS (
      INSERT INTO idempotency_keys AS held (caller, key, request_hash, pet_id, created_at)
      SELECT caller, key, request_hash, id, $7::bigint FROM request WHERE key IS NOT NULL ORDER BY caller, key
      ON CONFLICT (caller, key) DO UPDATE SET
        request_hash = excluded.request_hash, pet_id = excluded.pet_id, created_at = excluded.created_at
      WHERE held.created_at < $8::bigint OR held.pet_id = ANY ($9::bigint[])
      RETURNING pet_id
    ), wanted AS (
      SELECT * FROM request WHERE key IS NULL OR id IN (SELECT pet_id FROM claimed)
    ), ${insertAndReturn('wanted')}`,
};

/**
 * A key and its pet are written together, so a key without its pet means that the pet was deleted. The insert cannot
 * check this itself: it may meet a key whose pet is newer than its snapshot.
 */
export const selectEarlier = {
  name: 'select-earlier',
  text: `
    SELECT ordinal, request_hash, pet_id AS id, pets.id IS NULL AS is_gone, name, category_id, status
    FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS asked (caller, key, ordinal)
    JOIN idempotency_keys USING (caller, key) LEFT JOIN pets ON pets.id = pet_id`,
};

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
 * The ids are drawn beside their ordinals, so that no order of rows or of ids has to be trusted. A `WITH` query that
 * draws is run once, however often it is named: `nextval` is volatile.
 */
function requests(arrays: string, columns: string): string {
  return `
      SELECT nextval('pet_ids') AS id, given.*
      FROM unnest(${arrays}) WITH ORDINALITY AS given (${columns}, ordinal)`;
}

function insertAndReturn(source: string): string {
  return `created AS (
      INSERT INTO pets (${petColumns}) SELECT ${petColumns} FROM ${source} RETURNING 1
    )
    SELECT ordinal, ${petColumns} FROM ${source}`;
}
