import type { Statement } from '../session/connection.ts';
import { insertOrders } from './order-row.ts';
import { petColumns, type PetRow } from './pet-row.ts';

/** A pet that was found. */
export interface DeletedRow {
  id: string;
  /** False when it differs from what was expected, and so was left alone. */
  is_expected: boolean;
}

/** With the pet as it is now. */
export interface UpdatedRow extends DeletedRow, PetRow {}

const advice = 'Get the pet to see whether it has changed.';

/** In the arrays, null stands for any value, or for no change; an empty status stands for none. */
const expectedArrays = '$1::bigint[], $2::text[], $3::bigint[], $4::text[]';
const expectedColumns = 'expected_name, expected_category_id, expected_status';
const isExpected = `coalesce(expected_name = name, true)
        AND coalesce(expected_category_id = category_id, true)
        AND coalesce(expected_status = coalesce(status, ''), true)`;

/**
 * The pets as they are after the last commit, which may be newer than the statement's snapshot: a locked row is read
 * again, and so is each row that the statement then changes. Locked in order of id, so that two replicas that change the
 * same pets wait for each other and do not deadlock.
 */
function lockPets(arrays: string, columns: string): string {
  return `held AS (
      SELECT ${petColumns}, ${columns} FROM unnest(${arrays}) AS given (id, ${columns}) JOIN pets USING (id)
      ORDER BY id FOR UPDATE OF pets
    )`;
}

/** $5 to $7 are the new values, $8 is the time. No pet may be given twice. */
export const updatePets: Statement = {
  name: 'update-pets',
  advice,
  text: `
    WITH ${lockPets(
      `${expectedArrays}, $5::text[], $6::bigint[], $7::text[]`,
      `${expectedColumns}, new_name, new_category_id, new_status`,
    )}, changed AS (
      SELECT id, ${isExpected} AS is_expected, status AS old_status,
        coalesce(new_name, name) AS name, coalesce(new_category_id, category_id) AS category_id,
        CASE WHEN new_status IS NULL THEN status ELSE nullif(new_status, '') END AS status
      FROM held
    ), updated AS (
      UPDATE pets SET name = changed.name, category_id = changed.category_id, status = changed.status
      FROM changed WHERE pets.id = changed.id AND is_expected RETURNING 1
    ), ${insertOrders('changed', '$8', 'is_expected AND status IS DISTINCT FROM old_status')}
    SELECT ${petColumns}, is_expected FROM changed`,
};

/** Remembers the largest id that it deletes. No pet may be given twice. */
export const deletePets: Statement = {
  name: 'delete-pets',
  advice,
  text: `
    WITH ${lockPets(expectedArrays, expectedColumns)}, found AS (
      SELECT id, ${isExpected} AS is_expected FROM held
    ), deleted AS (
      DELETE FROM pets USING found WHERE pets.id = found.id AND is_expected RETURNING 1
    ), remembered AS (
      UPDATE deletions SET largest_pet_id = gone.id
      FROM (SELECT max(id) AS id FROM found WHERE is_expected) AS gone
      WHERE deletions.id = 1 AND largest_pet_id < gone.id RETURNING 1
    )
    SELECT id, is_expected FROM found`,
};
