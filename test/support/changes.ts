import type { ApiKey } from '../../src/domain/api-key.ts';
import {
  type Change,
  type CreatePet,
  type DeleteCategory,
  type DeletePet,
  fingerprintOf,
  type Idempotency,
  type IdempotencyHolder,
  idempotencyIdOf,
  type PutCategory,
  type UpdatePet,
} from '../../src/domain/change.ts';
import { type BatchState, decideBatch } from '../../src/domain/decide.ts';
import { type NewPet, type PetUpdate, renderPet } from '../../src/domain/pet.ts';
import { etagOf, type Preconditions } from '../../src/domain/precondition.ts';

/** The changes that a store applies, in few words. */

export function createPet(pet: NewPet, once?: Pick<Idempotency, 'caller' | 'key'>, by?: string): CreatePet {
  const idempotency = once && { ...once, requestHash: fingerprintOf(pet) };
  return { kind: 'create-pet', pet, idempotency, by };
}

export function updatePet(id: bigint, petUpdate: PetUpdate, json?: string, by?: string): UpdatePet {
  return { kind: 'update-pet', id, ...petUpdate, preconditions: ifMatchOf(json), by };
}

export function deletePet(id: bigint, json?: string, by?: string): DeletePet {
  return { kind: 'delete-pet', id, preconditions: ifMatchOf(json), by };
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
function ifMatchOf(json: string | undefined): Preconditions | undefined {
  return json === undefined ? undefined : { ifMatch: etagOf(json) };
}

interface Before {
  pets?: Record<string, NewPet>;
  categories?: Record<string, string>;
  keys?: readonly ApiKey[];
  holders?: Map<string, IdempotencyHolder>;
  /** How many ids are left for pets, keys and orders. */
  idsLeft?: number;
}

/** Decides changes of a store that holds these pets, names of categories and keys. New ids start at 100, times at 1. */
export function decide(
  changes: Change[],
  { pets = {}, categories = {}, keys = [], holders = new Map(), idsLeft = changes.length }: Before = {},
) {
  const timed = changes.map((change, index) => ({ ...change, at: index + 1 }));
  const ids = Array.from({ length: idsLeft }, (_, index) => BigInt(100 + index));
  const creates = timed.filter(({ kind }) => kind.startsWith('create'));
  const newIds = new Map(creates.slice(0, idsLeft).map((create, index) => [create, 100n + BigInt(index)]));
  const claims = new Map<string, IdempotencyHolder>();
  for (const [create, petId] of newIds) {
    if (create.kind !== 'create-pet' || !create.idempotency) continue;
    const key = idempotencyIdOf(create.idempotency);
    if (!claims.has(key)) claims.set(key, { petId, requestHash: create.idempotency.requestHash });
  }
  const state: BatchState = {
    pets: new Map(
      Object.entries(pets).map(([id, pet]) => [BigInt(id), { pet, json: renderPet(BigInt(id), pet) }]),
    ),
    categories: new Map(
      Object.entries(categories).map(([id, name]) => [BigInt(id), { id: BigInt(id), name }]),
    ),
    keys: new Map(keys.map((key) => [BigInt(key.id), key])),
    holders: new Map([...claims, ...holders]),
    newIds,
    orderIds: ids,
  };
  return decideBatch(timed, state);
}
