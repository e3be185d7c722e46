import type { PetFields } from '../../domain/pet-update.ts';
import type { Database } from '../database.ts';
import { deletePets, updatePets, type DeletedRow, type UpdatedRow } from './change-statements.ts';
import type { Expectation } from './expectation.ts';

export interface DeleteRequest {
  id: bigint;
  expected: Expectation;
}

export interface UpdateRequest extends DeleteRequest {
  changes: PetFields;
}

/** The row that was changed, or why none was. */
export type ChangeResult<Row> = Row | 'missing' | 'unexpected';
export type UpdateResult = ChangeResult<UpdatedRow>;
export type DeleteResult = ChangeResult<DeletedRow>;

/** Changes a batch of pets, none of them twice, and writes their orders, in one transaction. */
export async function runUpdates(
  database: Database,
  requests: UpdateRequest[],
  now: number,
): Promise<UpdateResult[]> {
  const rows = await database.write<UpdatedRow>(updatePets, [
    ...expectedArrays(requests),
    ...fieldArrays(requests.map(({ changes }) => changes)),
    now,
  ]);
  return resultsOf(requests, rows);
}

/** Deletes a batch of pets, none of them twice, in one transaction. */
export async function runDeletes(database: Database, requests: DeleteRequest[]): Promise<DeleteResult[]> {
  const rows = await database.write<DeletedRow>(deletePets, expectedArrays(requests));
  return resultsOf(requests, rows);
}

function resultsOf<Row extends DeletedRow>(requests: DeleteRequest[], rows: Row[]): ChangeResult<Row>[] {
  const rowById = new Map(rows.map((row) => [row.id, row]));
  return requests.map(({ id }) => {
    const row = rowById.get(String(id));
    if (!row) return 'missing';
    return row.is_expected ? row : 'unexpected';
  });
}

type Arrays = (string | null)[][];

/** A status that no pet has. */
const impossible = { status: 'impossible' };

function expectedArrays(requests: DeleteRequest[]): Arrays {
  const expected = requests.map(({ expected: each }) => (each === 'nothing' ? impossible : each));
  return [requests.map(({ id }) => String(id)), ...fieldArrays(expected)];
}

/** One array for each field. Null stands for one that is not given; a status that is null becomes an empty one. */
function fieldArrays(fields: { name?: string; categoryId?: bigint; status?: string | null }[]): Arrays {
  return [
    fields.map(({ name }) => name ?? null),
    fields.map(({ categoryId }) => (categoryId === undefined ? null : String(categoryId))),
    fields.map(({ status }) => (status === undefined ? null : (status ?? ''))),
  ];
}
