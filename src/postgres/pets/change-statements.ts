import type { Statement } from '../session/connection.ts';
import { insertOrders } from './order-row.ts';
import { petFields } from '../../domain/pet.ts';
import { arrayParameters, eachColumn, petColumns, selectPetRow, type PetRow } from './pet-row.ts';

/** A pet that was found. */
export interface DeletedRow {
  id: string;
  /** False when it differs from what was expected, and so was left alone. */
  is_expected: boolean;
}

/** With the pet as it is now. */
export interface UpdatedRow extends DeletedRow, PetRow {}

const advice = 'Get the pet to see whether it has changed.';

/** In the arrays, null stands for any value, or for no change; an empty text stands for none. */
const expectedArrays = `$1::bigint[], ${arrayParameters(2)}`;
const expectedColumns = eachColumn((name) => `expected_${name}`);
const isExpected = eachColumn(
  (name, { isOptional }) =>
    `coalesce(expected_${name} = ${isOptional ? `coalesce(${name}, '')` : name}, true)`,
  ' AND ',
);
const changedColumns = eachColumn((name, { isOptional }) =>
  isOptional
    ? `CASE WHEN new_${name} IS NULL THEN ${name} ELSE nullif(new_${name}, '') END AS ${name}`
    : `coalesce(new_${name}, ${name}) AS ${name}`,
);

/** A parameter behind those of the fields. */
const last = (position: number): string => `$${2 + 2 * petFields.length + position}`;

/**
 * The pets as they are after the last commit, which may be newer than the statement's snapshot: a locked row is read
 * again, and so is each row that the statement then changes. Locked in order of id, so that two replicas that change the
 * same pets wait for each other and do not deadlock.
 */
function lockPets(arrays: string, columns: string): string {
  return `held AS (
      SELECT ${petColumns}, folded_name, ${columns} FROM unnest(${arrays}) AS given (id, ${columns}) JOIN pets USING (id)
      ORDER BY id FOR UPDATE OF pets
    )`;
}

/** The new values follow what is expected, then the folded names, whoever changes the pets, and the time. No pet may be given twice. */
export const updatePets: Statement = {
  name: 'update-pets',
  advice,
  text: `
    WITH ${lockPets(
      `${expectedArrays}, ${arrayParameters(2 + petFields.length)}, ${last(0)}::text[], ${last(1)}::text[]`,
      `${expectedColumns}, ${eachColumn((name) => `new_${name}`)}, new_folded_name, created_by`,
    )}, changed AS (
      SELECT id, ${isExpected} AS is_expected, status AS old_status, ${changedColumns},
        coalesce(new_folded_name, folded_name) AS folded_name, created_by FROM held
    ), updated AS (
      UPDATE pets SET ${eachColumn((name) => `${name} = changed.${name}`)}, folded_name = changed.folded_name
      FROM changed WHERE pets.id = changed.id AND is_expected RETURNING 1
    ), ${insertOrders('changed', last(2), 'is_expected AND status IS DISTINCT FROM old_status')}
    SELECT ${selectPetRow}, is_expected FROM changed`,
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
