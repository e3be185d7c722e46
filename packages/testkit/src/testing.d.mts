/** A whole petstore of its own for a test, in another process. It ends with yours, however yours ends. */
export interface Sandbox {
  /** The address of the service, without `/v1`. */
  readonly url: string;
  readonly apiKey: string;
  /** Back to the sample pets: ids, idempotency keys, orders and faults included. */
  reset(): Promise<void>;
  /** Lets the next requests of an operation go wrong. */
  addFault(fault: PlannedFault): Promise<void>;
  /** Forgets the faults that were added and have not happened. */
  clearFaults(): Promise<void>;
  /** Ends the process and removes its store. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface PlannedFault {
  operation:
    | 'listPets'
    | 'createPet'
    | 'searchPets'
    | 'getPet'
    | 'updatePet'
    | 'deletePet'
    | 'listOrders'
    | 'getKey';
  /** As in a `Petstore-Fault` header: `cut=after-commit`. */
  fault: string;
  /** For how many requests. Default 1. */
  count?: number | undefined;
}

/** The flags of `petstore-sandbox`. */
export interface SandboxOptions {
  /** A free port unless it is given. */
  port?: number | undefined;
  /** The only API key. Default `sandbox-key`. */
  apiKey?: string | undefined;
  /** Where the random numbers of the sample pets start: the same seed makes the same pets. Default 42. */
  seed?: number | undefined;
  /** How many sample pets there are. Default 100. */
  count?: number | undefined;
  /** Serves the stable operations alone. */
  stableOnly?: boolean | undefined;
  /** What goes wrong with every request that has no `Petstore-Fault` header: `cut=after-commit;rate=0.3`. */
  faults?: string | undefined;
  /** Where the random numbers of the faults start. Default 1. */
  faultSeed?: number | undefined;
  /** Serves one documented mistake; `petstore-sandbox --list-mutants` lists them. */
  mutant?: number | undefined;
}

export function startSandbox(options?: SandboxOptions): Promise<Sandbox>;
