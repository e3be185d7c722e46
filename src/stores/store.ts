import type { ApiKey } from '../domain/api-key.ts';
import type { Applied, CategoryChange, PetChange } from '../domain/change.ts';
import type { EventType, OrderStatus } from '../domain/history.ts';
import type { PetStatus } from '../domain/pet.ts';

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
 * Keeps the pets and categories and renders them as JSON. A change resolves once it is on disk, and fails with
 * `overloaded` if too many are waiting. Every method fails with `unavailable` while the store cannot be used.
 */
export interface PetStore {
  /**
   * A number that changes with every commit. While it stays the same, everything read since then is current. Undefined
   * if the store cannot tell, or not cheaply. Never fails.
   */
  version(): number | undefined;

  /** Includes every write that was acknowledged before the call. */
  listPets(query: PetQuery): Page | Promise<Page>;

  /** The pet as JSON, or undefined if no pet has this id. */
  getPet(id: bigint): string | undefined | Promise<string | undefined>;

  /** As fresh as a list of pets. */
  listCategories(query: Omit<PetQuery, 'status'>): Page | Promise<Page>;

  /** The category as JSON, or undefined if the number has no name. As fresh as a list of pets. */
  getCategory(id: bigint): string | undefined | Promise<string | undefined>;

  /**
   * Applies a change together with its orders and its event. Fails with `not_found`, with `precondition_failed` if the
   * pet or category is not as the change expects, and with `idempotency_conflict` if the key was used for another pet.
   */
  apply(change: PetChange | CategoryChange): Promise<Applied>;

  /** As fresh as a list. Fails with `overloaded` if too many searches wait. `signal` aborts when the caller leaves. */
  searchPets(query: SearchQuery, signal?: AbortSignal): Page | Promise<Page>;

  /** True from a write that fails because of the store until one succeeds. */
  areWritesFailing(): boolean;
}

export interface OrderStore {
  /** As fresh as a list of pets. */
  listOrders(query: OrderQuery): Page | Promise<Page>;
}

/** Every change of a pet or category, in commit order. An event is part of the commit of its change. */
export interface EventStore {
  /** As fresh as a list of pets. Fails with `events_gone` if the log cannot continue from the position. */
  listEvents(query: EventQuery): Promise<EventPage>;
  /** How often the end of the log may be read while a request waits. */
  readonly checkEveryMs: number;
}

export interface PetQuery {
  limit: number;
  status?: PetStatus;
  /** Only pets with a larger id. */
  after?: bigint;
}

export interface SortedQuery {
  limit: number;
  /** By default, orders are sorted oldest first and pets newest first. */
  sort?: Sort;
  /** Only rows that follow the one with this id. */
  after?: bigint;
}

export interface OrderQuery extends SortedQuery {
  status?: OrderStatus;
  petId?: bigint;
  /** Only returned orders, or only open ones. */
  returned?: boolean;
  /** Only orders created at `since` or later and before `until`, in milliseconds since 1970. */
  since?: number;
  until?: number;
}

/** What to search for. A pet must meet every condition. */
export interface SearchQuery extends SortedQuery {
  /** Words from `searchWords`. Each must occur somewhere in the folded name. */
  words?: string[];
  id?: bigint;
  categoryId?: bigint;
  status?: PetStatus;
}

/** A position in the log, directly after the event with this id. */
export interface EventPosition {
  /** Identifies the log. A restore, a copy or a reset starts another one. */
  epoch: string;
  id: bigint;
}

export interface EventQuery {
  /** By default, the page starts at the oldest event in the log; `now` starts after the newest one. */
  after?: EventPosition | 'now';
  limit: number;
  petId?: bigint;
  type?: EventType;
}

export interface EventPage {
  /** A JSON array. */
  json: string;
  /** The position after the last event that was read, even if a filter left that event out. */
  next: EventPosition;
  /** True if the page is empty and the log ends here. Where a filter stopped the read, more may follow. */
  isEnd: boolean;
}

/** Keeps the API keys. Every method fails with `unavailable` while the store cannot be used. */
export interface ApiKeyStore {
  /**
   * The key with this hash, if it is usable now. Revoked, expired and unknown keys take equally long to look up, so
   * response times reveal nothing. As fresh as a list of pets.
   */
  findKey(hash: string): ApiKey | undefined | Promise<ApiKey | undefined>;

  /** All keys, oldest first. */
  listKeys(): ApiKey[] | Promise<ApiKey[]>;

  createKey(key: Omit<ApiKey, 'id' | 'revokedAt' | 'lastUsedAt'>): Promise<ApiKey>;

  /**
   * Refuses a key from `revokedAt` on, which never moves to a later time. Returns the key as it is then, or undefined if
   * no key has this id.
   */
  revokeKey(id: string, revokedAt: Date): Promise<ApiKey | undefined>;

  recordUse(id: string, usedAt: Date): Promise<void>;
}

export const pageLimit = { smallest: 1, largest: 100, default: 20 } as const;

export const sorts = ['newest', 'oldest'] as const;
export type Sort = (typeof sorts)[number];

export interface Page {
  /** A JSON array of at most `limit` rows. */
  json: string;
  /** The id of the last row; present if more rows follow. */
  next?: bigint;
}
