import { fieldsOf, isInteger } from './wire/json.ts';

/** Whether a pet is for sale. */
export type PetStatus = 'available' | 'pending' | 'sold';

/** Every {@link PetStatus}, in the order of a sale. */
export const petStatuses: readonly PetStatus[] = ['available', 'pending', 'sold'];

/** A pet to add; the service assigns its id. */
export interface NewPet {
  name: string;
  /** An exact 64-bit integer: `7n`, or `BigInt(text)` for digits in a string. */
  categoryId: bigint;
  status?: PetStatus | undefined;
}

/** The fields of a pet besides its id, required and optional, in the order of the JSON. */
const requiredFields = ['name', 'categoryId'] as const;
export const optionalFields = ['status'] as const;
const petFields = [...requiredFields, ...optionalFields];

/** A pet in the store. */
export interface Pet extends NewPet {
  /** An exact 64-bit integer. */
  id: bigint;
  /** Absent if the pet has none. */
  status?: PetStatus;
}

/** A pet that a create resolved with. */
export interface CreatedPet extends Pet {
  /**
   * Present if an earlier request with the same idempotency key added this pet: an earlier call, or an attempt of this
   * call whose response was lost.
   */
  replayed?: true;
}

/** A pet with its version. */
export interface VersionedPet extends Pet {
  /** Pass it as `ifMatch` to change the pet only if it has not changed. Absent if a proxy removed it. */
  etag?: string;
}

/** Some fields of a pet. A `null` status means that the pet has none. */
export interface PetFields {
  name?: string | undefined;
  /** An exact 64-bit integer: `7n`, or `BigInt(text)` for digits in a string. */
  categoryId?: bigint | undefined;
  status?: PetStatus | null | undefined;
}

/** One page of a list. */
export interface PetPage {
  /** Oldest first from `listPets`; newest first from `searchPetsPage`, unless you asked for the oldest. */
  pets: Pet[];
  /** Pass it as `next` to the same method to get the next page. Absent on the last page. */
  next?: string;
}

/**
 * Problems of a pet by field. Each text completes a sentence that begins with the field's name, such as "must be an
 * integer from … to …".
 */
export type PetProblems = Partial<Record<keyof NewPet, string>>;

const smallestInt64 = -(2n ** 63n);
const largestInt64 = 2n ** 63n - 1n;

/** Characters are code points. */
const validLength = /^[^]{0,255}$/u;

/** Checks the fields of a pet by the service's rules. The result is empty if they are valid. */
export function problemsOf({ name = '', categoryId = 0n, status }: PetFields): PetProblems {
  const problems: PetProblems = {};
  // With the u flag, this matches only lone surrogates. Older runtimes have no `isWellFormed`.
  if (name.includes('\0') || /\p{Surrogate}/u.test(name))
    problems.name = 'must be well-formed Unicode without U+0000';
  else if (!validLength.test(name)) problems.name = 'must have at most 255 characters';
  if (categoryId < smallestInt64 || categoryId > largestInt64)
    problems.categoryId = `must be an integer from ${smallestInt64} to ${largestInt64}`;
  if (status !== undefined && status !== null && !isPetStatus(status))
    problems.status = `must be one of ${petStatuses.join(', ')}, or left out`;
  return problems;
}

/** Narrows a value, such as a form field's, to a {@link PetStatus}. */
export function isPetStatus(value: unknown): value is PetStatus {
  return (petStatuses as readonly unknown[]).includes(value);
}

/** Reads a pet from parsed JSON; undefined if the value is not a pet. */
export function toPet(value: unknown): Pet | undefined {
  const { id, name, categoryId, status } = fieldsOf(value);
  if (!isInteger(id) || !isInteger(categoryId) || typeof name !== 'string') return undefined;
  if (status !== undefined && !isPetStatus(status)) return undefined;
  return { id: BigInt(id), name, categoryId: BigInt(categoryId), ...(status && { status }) };
}

/** For callers without types: a number may have lost digits, and a string could change the path. */
export function requireBigint(name: string, value: unknown): bigint {
  if (typeof value === 'bigint') return value;
  throw new TypeError(`${name} must be a bigint, such as 7n or BigInt(7).`);
}

/** The body of a create. */
export function renderNewPet(pet: NewPet): string {
  // For callers without types.
  if (pet.name === undefined) throw new TypeError('name must be a string.');
  requireBigint('categoryId', pet.categoryId);
  return `{${renderPetFields(pet)}}`;
}

/** Renders the fields of a pet that are present, without braces. `JSON.stringify` refuses a `bigint`. */
export function renderPetFields(fields: PetFields): string {
  const { name = '', categoryId = 0n } = fields;
  // For callers without types.
  if (typeof name !== 'string') throw new TypeError('name must be a string.');
  requireBigint('categoryId', categoryId);
  return petFields
    .filter((field) => fields[field] !== undefined)
    .map((field) => {
      const value = fields[field];
      return `"${field}":${typeof value === 'bigint' ? value : JSON.stringify(value)}`;
    })
    .join(',');
}
