import type { OrderStatus } from './order.ts';
import type { Page } from './pet.ts';
import type { PetUpdate } from './pet-update.ts';

export interface OrderPageRequest {
  limit: number;
  status?: OrderStatus;
  /** Only orders with a greater id. */
  after?: bigint;
}

/**
 * What the experimental operations need of a store, beside its `PetStore`. A change resolves once it is on disk, and
 * fails with `overloaded` or `unavailable` like a create.
 */
export interface ExperimentalStore {
  /**
   * Changes a pet, writes the order that the change calls for in the same commit, and resolves with the pet as JSON.
   * Fails with `not_found`, and with `precondition_failed` when the pet differs from what was expected or from `seen`.
   */
  updatePet(id: bigint, update: PetUpdate, seen?: SeenPet): Promise<string>;

  /** Deletes a pet; its id is never used again. Fails like `updatePet`. */
  deletePet(id: bigint, seen?: SeenPet): Promise<void>;

  /** Orders as a JSON array in ascending order of id. As fresh as a list of pets. */
  listOrders(request: OrderPageRequest): Page | Promise<Page>;
}

/** The pet as `getPet` returned it, whose tag the caller's `If-Match` names: the change applies to exactly this one. */
export type SeenPet = string;
