import { PetstoreError } from './error.ts';
import { toInt64 } from './int64.ts';
import {
  fieldOf,
  InvalidPetError,
  isJsonObject,
  problemOf,
  refuseProblems,
  type NewPet,
  type PetStatus,
} from './pet.ts';

/** Some fields of a pet. A null status stands for none. */
export interface PetFields {
  name?: string;
  categoryId?: bigint;
  status?: PetStatus | null;
}

export interface PetUpdate {
  changes: PetFields;
  /** What the caller has seen: if the pet differs, nothing changes. */
  expected?: PetFields;
}

/** Reads an update from parsed JSON, or throws an {@link InvalidPetError} with every problem. */
export function parsePetUpdate(body: unknown): PetUpdate {
  if (!isJsonObject(body)) throw new InvalidPetError({}, 'The body must be a JSON object.');
  const changes = readFields(body, 'The body');
  const expected = fieldOf(body, 'expected');
  if (expected === undefined) return { changes };
  if (!isJsonObject(expected)) throw new InvalidPetError({}, 'expected must be a JSON object.');
  return { changes, expected: readFields(expected, 'expected') };
}

/** A typo in the only field would otherwise change nothing, or expect nothing, without a word. */
function readFields(body: Record<string, unknown>, where: 'The body' | 'expected'): PetFields {
  const name = fieldOf(body, 'name');
  const categoryId = fieldOf(body, 'categoryId');
  const status = fieldOf(body, 'status');
  if (name === undefined && categoryId === undefined && status === undefined) {
    throw new InvalidPetError(
      {},
      `${where} must have at least one of the fields name, categoryId and status.`,
    );
  }
  const path = where === 'expected' ? 'expected.' : '';
  refuseProblems({
    name: name === undefined ? undefined : problemOf.name(name, path),
    categoryId: categoryId === undefined ? undefined : problemOf.categoryId(categoryId, path),
    status:
      status === undefined || status === null ? undefined : problemOf.status(status, path, 'null for none'),
  });
  return {
    ...(name !== undefined && { name: name as string }),
    ...(categoryId !== undefined && { categoryId: toInt64(categoryId) as bigint }),
    ...(status !== undefined && { status: status as PetStatus | null }),
  };
}

/** Whether a pet has these values. */
export function hasFields(pet: NewPet, { name, categoryId, status }: PetFields): boolean {
  return (
    (name === undefined || name === pet.name) &&
    (categoryId === undefined || categoryId === pet.categoryId) &&
    (status === undefined || status === (pet.status ?? null))
  );
}

/** The pet with these values instead of its own. */
export function withFields<Kind extends NewPet>(pet: Kind, changes: PetFields): Kind {
  const { status, ...others } = changes;
  const changed: Kind = { ...pet, ...others };
  if (status === null) delete changed.status;
  else if (status !== undefined) changed.status = status;
  return changed;
}

export function petChanged(): PetstoreError {
  return new PetstoreError(
    'precondition_failed',
    'The pet is not as you expected it: somebody else has changed it. Get it again, then decide.',
  );
}
