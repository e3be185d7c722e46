import type { ApiKeyStore } from './api-key.ts';
import type { OrderStatus } from './order.ts';
import type { Page, Sort, PetStatus, PetStore } from './pet.ts';
import type { PetUpdate } from './pet-update.ts';

interface WalkRequest {
  limit: number;
  /** Orders oldest first and pets newest first, unless it says otherwise. */
  sort?: Sort;
  /** Only what is behind this id, in that order. */
  after?: bigint;
}

export interface OrderPageRequest extends WalkRequest {
  status?: OrderStatus;
  petId?: bigint;
}

/** What to search for. Everything that is given must hold. */
export interface SearchRequest extends WalkRequest {
  /** As `searchWords` gives them: each occurs somewhere in the folded name. */
  words?: string[];
  id?: bigint;
  categoryId?: bigint;
  status?: PetStatus;
}

/** Whether many pets may have to be looked at to find a page of this. */
export function isScan({ words, id, categoryId }: SearchRequest): boolean {
  return id === undefined && (categoryId !== undefined || (words !== undefined && words.length > 0));
}

/**
 * What the experimental operations need of a store, beside its `PetStore`. A change resolves once it is on disk, and
 * fails with `overloaded` or `unavailable` like a create.
 */
export interface ExperimentalStore {
  /**
   * Changes a pet, writes the order that the change calls for in the same commit, and resolves with the pet as JSON. The
   * order names `createdBy`. Fails with `not_found`, and with `precondition_failed` when the pet differs from what was expected or from `seen`.
   */
  updatePet(id: bigint, update: PetUpdate, seen?: SeenPet, createdBy?: string): Promise<string>;

  /** Deletes a pet; its id is never used again. Fails like `updatePet`. */
  deletePet(id: bigint, seen?: SeenPet): Promise<void>;

  /** Pets as a JSON array, as fresh as a list. Fails with `overloaded` when too many searches wait. */
  searchPets(request: SearchRequest): Page | Promise<Page>;

  /** Orders as a JSON array, as fresh as a list of pets. */
  listOrders(request: OrderPageRequest): Page | Promise<Page>;
}

/** The pet as `getPet` returned it, whose tag the caller's `If-Match` names: the change applies to exactly this one. */
export type SeenPet = string;

/** An open store: what a service needs of it. */
export interface Store {
  pets: PetStore;
  experimental: ExperimentalStore;
  keys: ApiKeyStore;
  /** Waits for pending writes and the search under way, then closes every connection. */
  close(): Promise<void>;
}
