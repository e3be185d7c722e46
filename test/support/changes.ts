import type { Category } from '../../src/domain/category.ts';
import {
  type Change,
  type CreatePet,
  type CurrentPet,
  decideBatch,
  type DeleteCategory,
  type DeletePet,
  fingerprintOf,
  type Idempotency,
  type IdempotencyHolder,
  keyOf,
  type Known,
  type PutCategory,
  type UpdatePet,
} from '../../src/domain/change.ts';
import { type NewPet, type PetUpdate, renderPet } from '../../src/domain/pet.ts';
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

interface Before {
  pets?: Record<string, NewPet | 'damaged'>;
  categories?: Record<string, string>;
  holders?: Map<string, IdempotencyHolder>;
}

/** Decides changes of a store that holds these pets and names of categories. New ids start at 100, times at 1. */
export function decide(changes: Change[], { pets = {}, categories = {}, holders = new Map() }: Before = {}) {
  let lastId = 99n;
  const known: Known = {
    pet(id): CurrentPet | 'damaged' | undefined {
      const pet = pets[String(id)];
      return typeof pet === 'object' ? { pet, json: renderPet(id, pet) } : pet;
    },
    category(id): Category | 'damaged' | undefined {
      const name = categories[String(id)];
      return name === undefined || name === 'damaged' ? name : { id, name };
    },
    holder: (idempotency) => holders.get(keyOf(idempotency)),
    newId: () => ++lastId,
  };
  return decideBatch(
    changes.map((change, index) => ({ ...change, at: index + 1 })),
    known,
  );
}
