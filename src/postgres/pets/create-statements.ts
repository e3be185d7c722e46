import { petFields } from '../../domain/pet.ts';
import type { Statement } from '../session/connection.ts';
import { insertOrders } from './order-row.ts';
import { newPetColumns, newPetParameters } from './pet-row.ts';

export interface CreatedRow {
  /** The position of its request in the batch, from 1. */
  ordinal: string;
  id: string;
}

/** Which pet a key has created. */
export interface EarlierRow extends CreatedRow {
  request_hash: string;
}

const advice = 'Repeat it with the same Idempotency-Key; without one, check first whether the pet is there.';

export const selectEarlier = {
  name: 'select-earlier',
  text: `
    SELECT ordinal, request_hash, pet_id AS id
    FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS asked (caller, key, ordinal)
    JOIN idempotency_keys USING (caller, key)`,
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
function drawIds(arrays: string, columns: string): string {
  return `request AS (
      SELECT nextval('pet_ids') AS id, given.*
      FROM unnest(${arrays}) WITH ORDINALITY AS given (${columns}, ordinal)
    )`;
}

/** A parameter that follows those of the fields, the folded name and whoever creates the pet. */
function after(position: number): string {
  return `$${petFields.length + 2 + position}`;
}

const arrays = `${newPetParameters(1)}, ${after(0)}::text[]`;
const columns = `${newPetColumns}, created_by`;
const requests = drawIds(arrays, columns);

/** Locks rows in the order of the keys, so that two replicas with the same keys wait and do not deadlock. */
const claims = `
    ${drawIds(
      `${arrays}, ${after(1)}::text[], ${after(2)}::text[], ${after(3)}::text[]`,
      `${columns}, caller, key, request_hash`,
    )}, claimed AS (
      INSERT INTO idempotency_keys AS held (caller, key, request_hash, pet_id, created_at)
      SELECT caller, key, request_hash, id, ${after(4)}::bigint FROM request WHERE key IS NOT NULL ORDER BY caller, key
      ON CONFLICT (caller, key) DO UPDATE SET
        request_hash = excluded.request_hash, pet_id = excluded.pet_id, created_at = excluded.created_at
      WHERE held.created_at < ${after(5)}::bigint
      RETURNING pet_id
    ), wanted AS (
      SELECT * FROM request WHERE key IS NULL OR id IN (SELECT pet_id FROM claimed)
    )`;

function insertFrom(source: string): string {
  return `created AS (
      INSERT INTO pets (id, ${newPetColumns}) SELECT id, ${newPetColumns} FROM ${source} RETURNING 1
    )`;
}

/** First the arrays of the pets and of whoever creates them, then the time. A pet that is created pending or sold gets an order. */
export const insertPets: Statement = {
  name: 'insert-pets',
  advice,
  text: `WITH ${requests}, ${insertFrom('request')}, ${insertOrders('request', after(1))}
    SELECT ordinal, id FROM request`,
};

/**
 * The same with idempotency keys, still one statement and so one transaction. A key that is held leaves its request
 * without a row; one past its time is taken over.
 */
export const insertPetsOnce: Statement = {
  name: 'insert-pets-once',
  advice,
  text: `WITH ${claims}, ${insertFrom('wanted')}, ${insertOrders('wanted', after(4))}
    SELECT ordinal, id FROM wanted`,
};
