import { isUsable } from '../domain/api-key.ts';
import type { PetStore } from '../stores/store.ts';
import { andThen, type MaybePromise } from '../system/maybe-promise.ts';
import type { FindCaller } from './authentication.ts';
import type { Handler } from './route.ts';

/** Sits in front of the plain code for speed. Without it, every response would be the same. */
export interface Cache {
  /** A list that keeps its first pages. A walk through all pages would fill the memory. */
  firstPages: (list: Handler) => Handler;
  callers: (find: FindCaller) => FindCaller;
}

/** How long a caller is kept if the store cannot tell its version: a revoked key must be refused within a second. */
const callerMs = 800;

/**
 * What is kept is what the plain code would return now, because nothing has been committed since it was read. The
 * exception: a caller of a store that cannot tell its version may be out of date for {@link callerMs}.
 */
export function createCache({ version }: Pick<PetStore, 'version'>, now: () => number): Cache {
  return {
    firstPages: (list) =>
      keep(list, {
        version,
        keyOf: ({ request: { url } }) => (url.includes('cursor=') ? undefined : url),
        sizeOf: ({ body }) => body?.length ?? 0,
      }),
    callers: (find) =>
      keep(find, {
        version: () => version() ?? Math.floor(performance.now() / callerMs),
        keyOf: (header) => header,
        // Leave an expired key to the plain code, so that its refusal takes as long as that of an unknown key.
        isCurrent: (caller) => isUsable(caller, now()),
      }),
  };
}

interface KeepOptions<Input, Result> {
  /** Everything kept is dropped when this changes. Nothing is kept while it is undefined. */
  version: () => number | undefined;
  /** Undefined for an input whose result is not kept. */
  keyOf: (input: Input) => string | undefined;
  sizeOf?: (result: Result) => number;
  isCurrent?: (result: Result) => boolean;
}

/** The limit for all that is kept of one function. All of it is dropped when the next result would exceed it. */
const maxSize = 8 * 1024 * 1024;
/** Generous, because dropped results wait for the garbage collector. */
const overhead = 4096;

function keep<Input, Result>(
  read: (input: Input) => MaybePromise<Result>,
  { version, keyOf, sizeOf = () => 0, isCurrent = () => true }: KeepOptions<Input, Result>,
): typeof read {
  const results = new Map<string, Result>();
  let resultsVersion: number | undefined;
  let size = 0;

  const clear = (): void => {
    results.clear();
    size = 0;
  };

  const add = (key: string, result: Result): void => {
    const ownSize = overhead + key.length + sizeOf(result);
    if (results.has(key) || ownSize > maxSize) return;
    if (size + ownSize > maxSize) clear();
    results.set(key, result);
    size += ownSize;
  };

  return (input) => {
    // Ask before the read: a commit in between then only drops the result early.
    const versionBefore = version();
    if (versionBefore !== resultsVersion) clear();
    resultsVersion = versionBefore;
    const key = versionBefore === undefined ? undefined : keyOf(input);
    if (key === undefined) return read(input);
    const entry = results.get(key);
    if (entry !== undefined && isCurrent(entry)) return entry;
    return andThen(read(input), (result) => {
      if (versionBefore === resultsVersion) add(key, result);
      return result;
    });
  };
}
