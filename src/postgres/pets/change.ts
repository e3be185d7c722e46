import { petNotFound } from '../../domain/error.ts';
import { foldName } from '../../domain/fold.ts';
import { parseExactJson } from '../../domain/int64.ts';
import { collectFields, parseNewPet, type PetFields, type PetStatus } from '../../domain/pet.ts';
import { hasFields, petChanged } from '../../domain/pet-update.ts';
import type { PetStore, SeenPet } from '../../domain/store.ts';
import type { Batcher } from '../batcher.ts';
import type { Database } from '../database.ts';
import { deletePets, updatePets, type DeletedRow, type UpdatedRow } from './change-statements.ts';
import { petArrays, petJsonOf } from './pet-row.ts';

export interface DeleteRequest {
  id: bigint;
  expected: PetFields;
}

export interface UpdateRequest extends DeleteRequest {
  changes: PetFields;
  createdBy: string | undefined;
}

/** The row that was changed, or why none was. */
type ChangeResult<Row> = Row | 'missing' | 'unexpected';

export function createChanges(
  updates: Batcher<UpdateRequest, ChangeResult<UpdatedRow>>,
  deletes: Batcher<DeleteRequest, ChangeResult<DeletedRow>>,
): Pick<PetStore, 'updatePet' | 'deletePet'> {
  return {
    async updatePet(id, { changes, expected }, seen, createdBy) {
      const result = await updates.add({ id, changes, expected: expectationOf(seen, expected), createdBy });
      return petJsonOf(changedRow(result));
    },

    async deletePet(id, seen) {
      changedRow(await deletes.add({ id, expected: expectationOf(seen) }));
    },
  };
}

function changedRow<Row>(result: ChangeResult<Row>): Row {
  if (result === 'missing') throw petNotFound();
  if (result === 'unexpected') throw petChanged();
  return result;
}

/** Changes a batch of pets, none of them twice, and writes their orders, in one transaction. */
export async function runUpdates(
  database: Database,
  requests: UpdateRequest[],
  now: number,
): Promise<ChangeResult<UpdatedRow>[]> {
  const rows = await database.write<UpdatedRow>(updatePets, [
    ...expectedArrays(requests),
    ...petArrays(requests.map(({ changes }) => changes)),
    requests.map(({ changes }) => (typeof changes.name === 'string' ? foldName(changes.name) : null)),
    requests.map(({ createdBy }) => createdBy ?? null),
    now,
  ]);
  return resultsOf(requests, rows);
}

/** Deletes a batch of pets, none of them twice, in one transaction. */
export async function runDeletes(
  database: Database,
  requests: DeleteRequest[],
): Promise<ChangeResult<DeletedRow>[]> {
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

function expectedArrays(requests: DeleteRequest[]): (string | null)[][] {
  return [requests.map(({ id }) => String(id)), ...petArrays(requests.map(({ expected }) => expected))];
}

/** No pet is like this. */
const impossible: PetFields = { status: 'impossible' as string as PetStatus };

/** What a pet must be like to be changed: as the caller expects, and as the caller has seen it. */
function expectationOf(seen: SeenPet | undefined, expected: PetFields = {}): PetFields {
  if (seen === undefined) return expected;
  const pet = parseNewPet(parseExactJson(seen));
  return hasFields(pet, expected) ? collectFields(({ name }) => pet[name] ?? null) : impossible;
}
