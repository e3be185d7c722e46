import { orderedStatus, type OrderStatus } from '../../src/domain/order.ts';
import { renderFields, renderPet, type NewPet } from '../../src/domain/pet.ts';

/** A pet at one moment, and the orders that belong to it by then. */
export interface PetState {
  /** Undefined before it was created, and after it was deleted. */
  pet: NewPet | undefined;
  orders: readonly OrderStatus[];
}

/** What a client knows of one pet, which nobody else changes. Its name is unlike any other. */
export interface PetRecord {
  name: string;
  /** Undefined until its create was acknowledged. */
  id: string | undefined;
  /** The state after the last change that was acknowledged. */
  acknowledged: PetState;
  /** The state after a change that got no response: it may have happened, as a whole. */
  attempted?: PetState;
}

/** What clients know of the pets that they change, to be compared with what the store holds. */
export interface ChangeJournal {
  records: PetRecord[];
  /** Creates, updates and deletes. */
  acknowledgedCount: number;
  /** Responses that are not what the request calls for. */
  wrong: string[];
}

export const notThere: PetState = { pet: undefined, orders: [] };

/** The state after a change; without a pet, after its delete. */
export function stateAfter({ pet: before, orders }: PetState, pet: NewPet | undefined): PetState {
  const ordered = pet && orderedStatus(before, pet);
  return { pet, orders: ordered ? [...orders, ordered] : orders };
}

/** The pet in the store, as JSON. */
export function jsonOf(id: string, pet: NewPet): string {
  return renderPet(id, renderFields(pet));
}
