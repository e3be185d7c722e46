import type { ApiKeyStore } from './api-key.ts';
import type { EventPage, EventRequest } from './event.ts';
import type { OrderStatus } from './order.ts';
import type { PetUpdate, SeenPet } from './pet-change.ts';
import type { Idempotency } from './idempotency.ts';
import type { NewPet, PetStatus } from './pet.ts';
import type { Page, Sort } from './paging.ts';

/** An open store: what a service needs of it. */
export interface Store {
  pets: PetStore;
  orders: OrderStore;
  events: EventStore;
  keys: ApiKeyStore;
  /** Waits for pending writes and the search under way, then closes every connection. */
  close(): Promise<void>;
}

/**
 * Keeps the pets and renders them as JSON. A change resolves once it is on disk, and fails with `overloaded` when too
 * many wait. Every method fails with `unavailable` while the store cannot be used.
 */
export interface PetStore {
  /**
   * A number that changes whenever anybody commits: while it stays the same, so does everything that was read after it
   * was taken. Undefined where that cannot be known cheaply.
   */
  version(): number | undefined;

  /** At least as new as every write that was acknowledged before the call. */
  listPets(request: PageRequest): Page | Promise<Page>;

  /** The pet as JSON, or undefined when no pet has this id. */
  getPet(id: bigint): string | undefined | Promise<string | undefined>;

  /**
   * Fails with `idempotency_conflict` when the key was used for another pet. An order that the pet calls for names
   * `createdBy`.
   */
  createPet(pet: NewPet, idempotency?: Idempotency, createdBy?: string): Promise<CreatedPet>;

  /**
   * Changes a pet, marks its orders as returned and writes a new one if the change calls for that, in the same commit,
   * and resolves with the pet as JSON. Both name `createdBy`. Fails with `not_found`, and with `precondition_failed` when the pet differs from what was
   * expected or from `seen`.
   */
  updatePet(id: bigint, update: PetUpdate, seen?: SeenPet, createdBy?: string): Promise<string>;

  /** Deletes a pet; its id is never used again. Fails like `updatePet`. */
  deletePet(id: bigint, seen?: SeenPet, createdBy?: string): Promise<void>;

  /** As fresh as a list. Fails with `overloaded` when too many searches wait. `signal` says that nobody waits for it. */
  searchPets(request: SearchRequest, signal?: AbortSignal): Page | Promise<Page>;

  /** Fails with `unavailable` while the store cannot be used, as far as the last write has shown. */
  checkWritable(): Promise<void>;
}

export interface OrderStore {
  /** As fresh as a list of pets. */
  listOrders(request: OrderPageRequest): Page | Promise<Page>;
}

/** Every change of a pet, in the order of the commits. An event is written in the commit of its change. */
export interface EventStore {
  /** As fresh as a list of pets. Fails with `events_gone` for a position that cannot be continued. */
  listEvents(request: EventRequest): EventPage | Promise<EventPage>;
  /** The position of the newest event, as cheaply as the store can tell. */
  newestEvent(): EventPage['newest'] | Promise<EventPage['newest']>;
  /** How often it may be asked for that while somebody waits. */
  readonly checkEveryMs: number;
}

export interface PageRequest {
  limit: number;
  status?: PetStatus;
  /** Only pets with a greater id. */
  after?: bigint;
}

interface SortedRequest {
  limit: number;
  /** Orders oldest first and pets newest first, unless it says otherwise. */
  sort?: Sort;
  /** Only what is behind this id, in that direction. */
  after?: bigint;
}

export interface OrderPageRequest extends SortedRequest {
  status?: OrderStatus;
  petId?: bigint;
  /** Only orders that were returned, or only those that stand. */
  returned?: boolean;
}

/** What to search for. Everything that is given must hold. */
export interface SearchRequest extends SortedRequest {
  /** As `searchWords` gives them: each occurs somewhere in the folded name. */
  words?: string[];
  id?: bigint;
  categoryId?: bigint;
  status?: PetStatus;
}

/** Whether a search may have to read many pets to fill a page. */
export function isScan({ words, id, categoryId }: SearchRequest): boolean {
  return id === undefined && (categoryId !== undefined || (words !== undefined && words.length > 0));
}

export interface CreatedPet {
  id: bigint;
  json: string;
  /** True when an earlier request with the same idempotency key had created this pet. */
  replayed: boolean;
}
