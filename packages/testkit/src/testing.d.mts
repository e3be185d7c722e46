/** The whole service in a process of its own, for a test. It ends when your process ends. */
export interface Sandbox {
  /** The URL of the service, without `/v1`. */
  readonly url: string;
  readonly apiKey: string;
  /** Restores the sample pets, with their ids, idempotency keys and orders, and drops all faults. */
  reset(): Promise<void>;
  /** Makes the next requests of an operation fail. */
  addFault(fault: PlannedFault): Promise<void>;
  /** Drops the faults that have not happened yet. */
  clearFaults(): Promise<void>;
  /** The last 1,000 requests, newest last, or those after the one with this id. */
  requests(since?: number): Promise<SandboxRequest[]>;
  /** Empties the list of requests. */
  clearRequests(): Promise<void>;
  /** Ends the process and removes its store. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A request to the sandbox, without its key, and its outcome. */
export interface SandboxRequest {
  /** Counts up from 1, also across a reset. */
  id: number;
  method: string;
  path: string;
  /** With its question mark, or empty. */
  query: string;
  headers: Record<string, string>;
  /** The first 4 KiB. */
  body: string;
  /** Null before the response, and if the connection was cut before it. */
  status: number | null;
  /** The fault that the request met, such as `cut=after-commit`. */
  fault?: string;
  /** The number of the mutant that the sandbox serves. */
  mutant?: number;
}

export interface PlannedFault {
  operation:
    | 'listPets'
    | 'createPet'
    | 'searchPets'
    | 'getPet'
    | 'updatePet'
    | 'deletePet'
    | 'listCategories'
    | 'getCategory'
    | 'putCategory'
    | 'deleteCategory'
    | 'listOrders'
    | 'listEvents'
    | 'getKey';
  /** The value of a `Petstore-Fault` header, such as `cut=after-commit`. */
  fault: string;
  /** How many requests it affects. Default 1. */
  count?: number | undefined;
}

/** The flags of `petstore-sandbox`. */
export interface SandboxOptions {
  /** The address to listen on. Default 127.0.0.1, which only this machine can reach. */
  host?: string | undefined;
  /** Defaults to a free port. */
  port?: number | undefined;
  /** The only API key. Default `sandbox-key`. */
  apiKey?: string | undefined;
  /** The seed of the sample pets: equal seeds give equal pets. Default 42. */
  seed?: number | undefined;
  /** The number of sample pets. Default 100. */
  count?: number | undefined;
  /** Serves only the stable operations. */
  stableOnly?: boolean | undefined;
  /** The faults of every request without a `Petstore-Fault` header, such as `cut=after-commit;rate=0.3`. */
  faults?: string | undefined;
  /** The seed of the faults. Default 1. */
  faultSeed?: number | undefined;
  /** Serves one documented mistake; `petstore-sandbox --list-mutants` lists them. */
  mutant?: number | undefined;
}

export function startSandbox(options?: SandboxOptions): Promise<Sandbox>;
