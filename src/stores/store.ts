import type { ApiKeyStore } from '../domain/api-key.ts';
import type { Applied, Change } from '../domain/change.ts';
import type { EventPage, EventRequest } from '../domain/event.ts';
import type { OrderStatus } from '../domain/order.ts';
import type { PetStatus } from '../domain/pet.ts';
import type { Page, Sort } from '../domain/paging.ts';

/** An open store, as a service uses it. */
export interface Store {
  pets: PetStore;
  orders: OrderStore;
  events: EventStore;
  keys: ApiKeyStore;
  /** Waits for pending writes and running searches, then closes every connection. */
  close(): Promise<void>;
}

/**
 * Keeps the pets and renders them as JSON. A change resolves once it is on disk, and fails with `overloaded` if too
 * many are waiting. Every method fails with `unavailable` while the store cannot be used.
 */
export interface PetStore {
  /**
   * A number that changes with every commit by any process. While it stays the same, everything read since then is
   * current. Undefined if the store cannot tell cheaply.
   */
  version(): number | undefined;

  /** Includes every write that was acknowledged before the call. */
  listPets(request: PageRequest): Page | Promise<Page>;

  /** The pet as JSON, or undefined if no pet has this id. */
  getPet(id: bigint): string | undefined | Promise<string | undefined>;

  /**
   * Applies a change together with its orders and its event. Fails with `not_found`, with `precondition_failed` if the
   * pet is not as the change expects, and with `idempotency_conflict` if the key was used for another pet.
   */
  apply(change: Change): Promise<Applied>;

  /** As fresh as a list. Fails with `overloaded` if too many searches wait. `signal` aborts when the caller leaves. */
  searchPets(request: SearchRequest, signal?: AbortSignal): Page | Promise<Page>;

  /** Fails with `unavailable` if the last write showed that the store cannot be used. */
  checkWritable(): Promise<void>;
}

export interface OrderStore {
  /** As fresh as a list of pets. */
  listOrders(request: OrderPageRequest): Page | Promise<Page>;
}

/** Every change of a pet, in commit order. An event is part of the commit of its change. */
export interface EventStore {
  /** As fresh as a list of pets. Fails with `events_gone` if the log cannot continue from the position. */
  listEvents(request: EventRequest): EventPage | Promise<EventPage>;
  /** How often the end of the log may be read while a request waits. */
  readonly checkEveryMs: number;
}

export interface PageRequest {
  limit: number;
  status?: PetStatus;
  /** Only pets with a larger id. */
  after?: bigint;
}

interface SortedRequest {
  limit: number;
  /** By default, orders are sorted oldest first and pets newest first. */
  sort?: Sort;
  /** Only rows that follow this id in the sort direction. */
  after?: bigint;
}

export interface OrderPageRequest extends SortedRequest {
  status?: OrderStatus;
  petId?: bigint;
  /** Only returned orders, or only open ones. */
  returned?: boolean;
}

/** What to search for. A pet must meet every condition. */
export interface SearchRequest extends SortedRequest {
  /** Words from `searchWords`. Each must occur somewhere in the folded name. */
  words?: string[];
  id?: bigint;
  categoryId?: bigint;
  status?: PetStatus;
}

/** Whether a search may have to read many pets to fill a page. */
export function isScan({ words, id, categoryId }: SearchRequest): boolean {
  return id === undefined && (categoryId !== undefined || (words !== undefined && words.length > 0));
}
