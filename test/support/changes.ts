import {
  type CreatePet,
  type DeleteCategory,
  type DeletePet,
  fingerprintOf,
  type Idempotency,
  type PutCategory,
  type UpdatePet,
} from '../../src/domain/change.ts';
import type { NewPet, PetUpdate } from '../../src/domain/pet.ts';
import { etagOf, type Preconditions } from '../../src/domain/precondition.ts';

/** The changes that a store applies, in few words. */

export function createPet(pet: NewPet, once?: Pick<Idempotency, 'caller' | 'key'>, by?: string): CreatePet {
  const idempotency = once && { ...once, requestHash: fingerprintOf(pet) };
  return { kind: 'create-pet', pet, idempotency, by };
}

export function updatePet(id: bigint, petUpdate: PetUpdate, seen?: string, by?: string): UpdatePet {
  return { kind: 'update-pet', id, ...petUpdate, preconditions: ifSeen(seen), by };
}

export function deletePet(id: bigint, seen?: string, by?: string): DeletePet {
  return { kind: 'delete-pet', id, preconditions: ifSeen(seen), by };
}

export function putCategory(
  id: bigint,
  name: string,
  preconditions?: Preconditions,
  by?: string,
): PutCategory {
  return { kind: 'put-category', id, name, preconditions, by };
}

export function deleteCategory(id: bigint, preconditions?: Preconditions, by?: string): DeleteCategory {
  return { kind: 'delete-category', id, preconditions, by };
}

/** Demands that the target is this JSON. */
function ifSeen(json: string | undefined): Preconditions | undefined {
  return json === undefined ? undefined : { ifMatch: etagOf(json) };
}
