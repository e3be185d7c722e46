import { PetstoreError } from './error.ts';
import { toInt64 } from './int64.ts';
import { fieldOf, InvalidPetError, isJsonObject, problemOf, type NewPet, type PetStatus } from './pet.ts';

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
  const expected = fieldOf(body, 'expected');
  const problems = [...problemsIn(body, 'The body'), ...problemsOfExpected(expected)];
  if (problems.length > 0) throw new InvalidPetError({}, problems.join(' '));
  const changes = readFields(body);
  return isJsonObject(expected) ? { changes, expected: readFields(expected) } : { changes };
}

function problemsOfExpected(expected: unknown): string[] {
  if (expected === undefined) return [];
  return isJsonObject(expected)
    ? problemsIn(expected, 'expected', 'expected.')
    : ['expected must be a JSON object.'];
}

/** The path precedes the name of a field. */
function problemsIn(fields: Record<string, unknown>, where: string, path = ''): string[] {
  const name = fieldOf(fields, 'name');
  const categoryId = fieldOf(fields, 'categoryId');
  const status = fieldOf(fields, 'status');
  // A typo in the only field would otherwise change nothing, or expect nothing, without a word.
  if (name === undefined && categoryId === undefined && status === undefined) {
    return [`${where} must have at least one of the fields name, categoryId and status.`];
  }
  return [
    name === undefined ? undefined : problemOf.name(name, path),
    categoryId === undefined ? undefined : problemOf.categoryId(categoryId, path),
    status === undefined || status === null ? undefined : problemOf.status(status, path, 'null for none'),
  ].filter((problem) => problem !== undefined);
}

/** The given fields, which have no problem. */
function readFields(fields: Record<string, unknown>): PetFields {
  const name = fieldOf(fields, 'name');
  const categoryId = fieldOf(fields, 'categoryId');
  const status = fieldOf(fields, 'status');
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
    'The pet is not as you expected it. Get it again, then decide.',
  );
}
