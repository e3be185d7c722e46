import { petNotFound, PetstoreError } from './error.ts';
import { orderFor, type NewOrder } from './order.ts';
import { renderFields, renderPet, type NewPet } from './pet.ts';
import { hasFields, withFields, type PetUpdate } from './pet-update.ts';
import type { SeenPet } from './store.ts';

/**
 * The rules of a change. A store reads the pet under its lock, lets these functions decide, and writes what they say. A
 * refusal is a result, not an error: an error would undo the other changes of the transaction.
 */
export interface CurrentPet {
  pet: NewPet;
  json: string;
}

export interface UpdateRequest extends PetUpdate {
  id: bigint;
  /** The pet must still be as the caller saw it. */
  seen: SeenPet | undefined;
  now: number;
  createdBy?: string | undefined;
}

export interface DeleteRequest {
  id: bigint;
  seen: SeenPet | undefined;
}

/** Why nothing was changed. */
export type Refusal = 'missing' | 'changed';

/** The pet as it is from now on, and the order that the change calls for. */
export interface UpdatedPet extends CurrentPet {
  order: NewOrder | undefined;
}

export function decideUpdate(current: CurrentPet | undefined, request: UpdateRequest): UpdatedPet | Refusal {
  const { id, changes, expected, seen, now, createdBy } = request;
  if (!current) return 'missing';
  const { pet: before, json } = current;
  if (seen !== undefined && seen !== json) return 'changed';
  if (expected && !hasFields(before, expected)) return 'changed';
  const pet = withFields(before, changes);
  return {
    pet,
    json: renderPet(id, renderFields(pet)),
    order: orderFor(id, before, pet, { createdAt: new Date(now), createdBy }),
  };
}

export function decideDelete(
  current: Pick<CurrentPet, 'json'> | undefined,
  { seen }: DeleteRequest,
): 'deleted' | Refusal {
  if (!current) return 'missing';
  return seen === undefined || seen === current.json ? 'deleted' : 'changed';
}

/** What the caller is told. */
export function refusalError(refusal: Refusal): PetstoreError {
  if (refusal === 'missing') return petNotFound();
  return new PetstoreError(
    'precondition_failed',
    'The pet is not as you expected it. Get it again, then decide.',
  );
}
