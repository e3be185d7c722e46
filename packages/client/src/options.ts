import type { DeprecationNotice } from './deprecation.ts';
import type { OrderStatus } from './order.ts';
import type { PetStatus } from './pet.ts';

/** How a client reaches the service. */
export interface ClientOptions {
  /** The URL of the service, with or without `/v1`: `https://pets.example` or `https://pets.example/v1`. */
  baseUrl: string;
  apiKey: string;
  /** Used instead of the global `fetch`. */
  fetch?: Fetch | undefined;
  /** How long one attempt may take, including its body. Default 10 000. */
  timeoutMs?: number | undefined;
  /**
   * How long to retry a call if that is safe and may help, such as during a failover of the service's database.
   * `Infinity` retries until the call's signal aborts; 0 turns retries off. Default 60 000.
   */
  retryForMs?: number | undefined;
  /** The pause before the first retry. It doubles with each retry, up to 5 seconds. Default 250. */
  retryDelayMs?: number | undefined;
  /** The longest `Retry-After` to wait for. After a longer one, the call fails with `retryAfterMs`. Default 30 000. */
  maxRetryAfterMs?: number | undefined;
  /** Waits for rate limits as long as it takes, beyond `retryForMs` and `maxRetryAfterMs`. Default false. */
  waitForRateLimit?: boolean | undefined;
  /** Called once for each deprecated operation that this client uses. */
  onDeprecation?: ((notice: DeprecationNotice) => void) | undefined;
}

/** The part of `fetch` that the client needs. */
export type Fetch = (
  url: string,
  init: {
    method: string;
    headers: Record<string, string>;
    body?: string;
    signal: AbortSignal;
    redirect?: 'manual';
    mode?: 'cors' | 'no-cors';
  },
) => Promise<Response>;

/** The options of every call. */
export interface CallOptions {
  /** Cancels the call and its retries; the call then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** The pets that `pets` iterates over. */
export interface PetsOptions extends CallOptions {
  /** Only pets with this status. */
  status?: PetStatus | undefined;
  /** Pets per page, 1 to 100. */
  limit?: number | undefined;
}

/** Selects the first page of a list, or the page after another. */
export type ListPetsOptions = (PetsOptions & { next?: undefined }) | NextPageOptions;

/** Selects the page after another, with the filter and size of that page. Without `next`, the first page. */
export interface NextPageOptions extends CallOptions {
  next: string | undefined;
  status?: undefined;
  limit?: undefined;
}

/** The options of `createPet`. */
export interface CreatePetOptions extends CallOptions {
  /**
   * Makes the create safe to repeat: one key adds one pet. By default, each call gets a new key; pass your own to
   * repeat a create after your program restarts. 1 to 255 visible ASCII characters.
   */
  idempotencyKey?: string | undefined;
}

/** The options of `updatePet`, `deletePet` and `deleteCategory`. */
export interface ChangePetOptions extends CallOptions {
  /** The ETag that you saw. If the pet or category has changed since, the call fails with `precondition_failed`. */
  ifMatch?: string | undefined;
}

/** The options of `putCategory`. */
export interface PutCategoryOptions extends ChangePetOptions {
  /** `*` names only a number that has no name; otherwise the call fails with `precondition_failed`. */
  ifNoneMatch?: string | undefined;
}

/** Selects the first page of the categories, or the page after another. */
export type ListCategoriesOptions =
  | (CallOptions & { limit?: number | undefined; next?: undefined })
  | NextPageOptions;

/** What `searchPets` searches for. A pet must meet every condition. */
export interface SearchPetsOptions extends CallOptions {
  /** Words that must each occur somewhere in the name, ignoring case and diacritics. 1 to 100 characters. */
  q?: string | undefined;
  /** Only the pet with this id. */
  id?: bigint | undefined;
  /** Only pets of this category. */
  categoryId?: bigint | undefined;
  /** Only pets with this status. */
  status?: PetStatus | undefined;
  /** Defaults to `newest` first. */
  sort?: 'newest' | 'oldest' | undefined;
  /** Pets per page, 1 to 100. */
  limit?: number | undefined;
}

/** Selects the first page of a search, or the page after another. */
export type SearchPetsPageOptions =
  | (SearchPetsOptions & { next?: undefined })
  | (NextPageOptions & { [Filter in Exclude<keyof SearchPetsOptions, 'signal'>]?: undefined });

/** The orders that `orders` iterates over. */
export interface OrdersOptions extends CallOptions {
  /** Only orders of this pet. */
  petId?: bigint | undefined;
  /** Defaults to `oldest` first. */
  sort?: 'newest' | 'oldest' | undefined;
  /** Only orders with this status. */
  status?: OrderStatus | undefined;
  /** Only returned orders (`true`), or only open ones (`false`). */
  returned?: boolean | undefined;
  /** Only orders from this time on. */
  since?: Date | undefined;
  /** Only orders before this time. */
  until?: Date | undefined;
  /** Orders per page, 1 to 100. */
  limit?: number | undefined;
}

/** Selects the first page of a list, or the page after another. */
export type ListOrdersOptions = (OrdersOptions & { next?: undefined }) | NextPageOptions;
