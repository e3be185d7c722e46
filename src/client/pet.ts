/** Whether a pet can be bought. */
export type PetStatus = 'available' | 'pending' | 'sold';

/** Every {@link PetStatus}, in the order of a pet's way through the store. */
export const petStatuses: readonly PetStatus[] = ['available', 'pending', 'sold'];

/** A pet to add; the service assigns its id. */
export interface NewPet {
  name: string;
  /** A 64-bit integer, exact: write `7n`, or `BigInt(text)` for digits that a person typed. */
  categoryId: bigint;
  status?: PetStatus;
}

/** A pet of the store. */
export interface Pet extends NewPet {
  /** A 64-bit integer, exact. */
  id: bigint;
}

/** One page of a list. */
export interface PetPage {
  /** In ascending order of id. */
  pets: Pet[];
  /** Where the next page begins: give it to `listPets({ next })`. Absent on the last page. */
  next?: string;
}

/** Narrows a text, such as the value of a form field, to a {@link PetStatus}. */
export function isPetStatus(value: unknown): value is PetStatus {
  return (petStatuses as readonly unknown[]).includes(value);
}

/** Reads a pet from parsed JSON, or gives undefined when the value is none. */
export function toPet(value: unknown): Pet | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { id, name, categoryId, status } = value as Record<string, unknown>;
  if (!isInteger(id) || !isInteger(categoryId) || typeof name !== 'string') return undefined;
  if (status !== undefined && !isPetStatus(status)) return undefined;
  return { id: BigInt(id), name, categoryId: BigInt(categoryId), ...(status && { status }) };
}

/** Reads a list of pets from parsed JSON, or gives undefined when the value is none. */
export function toPets(value: unknown): Pet[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const pets = value.map(toPet);
  return pets.every((pet) => pet !== undefined) ? pets : undefined;
}

function isInteger(value: unknown): value is number | bigint {
  return typeof value === 'bigint' || Number.isSafeInteger(value);
}
