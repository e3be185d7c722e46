import type { DeprecationNotice } from './deprecation.ts';
import type { PetStatus } from './pet.ts';

/** How a client reaches the service. */
export interface ClientOptions {
  /** The address of the service, with or without its `/v1`: `https://shop.example` or `https://shop.example/v1`. */
  baseUrl: string;
  apiKey: string;
  /** Used in place of the global `fetch`. */
  fetch?: Fetch;
  /** How long one attempt may take, its body included. Default 10 000. */
  timeoutMs?: number;
  /**
   * For how long a call is repeated while that is safe and may help, such as during a failover of the service's
   * database. 0 repeats nothing. Default 60 000.
   */
  retryForMs?: number;
  /** The pause before the first repetition; it doubles with each. Default 250. */
  retryDelayMs?: number;
  /** A `Retry-After` longer than this is not waited for; the call fails with `retryAfterMs`. Default 30 000. */
  maxRetryAfterMs?: number;
  /** Told once for each deprecated operation that this client has called. */
  onDeprecation?: (notice: DeprecationNotice) => void;
}

/** The part of `fetch` that the client needs. */
export type Fetch = (
  url: string,
  init: { method: string; headers: Record<string, string>; body?: string; signal: AbortSignal },
) => Promise<Response>;

/** What every call takes. */
export interface CallOptions {
  /** Ends the call, its repetitions and pauses; it then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** Which pets `pets` walks over. */
export interface PetsOptions extends CallOptions {
  /** Only pets with this status. */
  status?: PetStatus | undefined;
  /** How many pets a page holds, 1 to 100. */
  limit?: number | undefined;
}

/** Which page `listPets` gets: the first one of a list, or the one that follows another page. */
export type ListPetsOptions = (PetsOptions & { next?: undefined }) | (CallOptions & { next: string });

/** How `createPet` adds a pet. */
export interface CreatePetOptions extends CallOptions {
  /**
   * Names the create, so that repeating it adds no second pet. Each call makes one of its own; give yours when
   * the create must survive the end of this program. 1 to 255 visible ASCII characters.
   */
  idempotencyKey?: string | undefined;
}
