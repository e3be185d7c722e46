import type { Database } from 'bun:sqlite';
import type { PetstoreError } from '../../domain/error.ts';
import type { Log } from '../../system/log.ts';
import { mapFile } from '../../system/map-file.ts';
import { callerError, isBusy, outcomeUnknown, storeMoved } from './errors.ts';
import { identityOf, type StoreFile } from './file.ts';

/** A store in use: whether its files are in their place, when its lock is free, and when anybody commits. */

const suffixes = ['', '-wal', '-shm'];

/** Adds the identity of the side files. A connection must already have read the store in WAL mode. */
export function withSideFiles(store: StoreFile): StoreFile {
  const identities = suffixes.map((suffix) => identityOf(`${store.path}${suffix}`));
  return { ...store, identities: [...store.identities, ...identities.slice(1)] };
}

/**
 * Whether the path still leads to this file, log and shared memory. Processes that do not share this memory cannot see
 * each other's commits. This is cheap enough to run before and after every commit.
 */
export function isInPlace({ path, identities }: StoreFile): boolean {
  return identities.every(
    (identity, index) => identity !== undefined && identity === identityOf(`${path}${suffixes[index]}`),
  );
}

/**
 * Runs a transaction only if the store is in place, and fails unless it still is afterwards. Before: without the shared
 * memory, a process would overwrite the last commits of others. After: a write to a moved file may be lost.
 */
export function whileInPlace<Result>(store: StoreFile, transaction: () => Result): Result {
  refuseMoved(store);
  const result = transaction();
  if (!isInPlace(store)) throw outcomeUnknown(storeMoved(store), 'The store was moved');
  return result;
}

export function refuseMoved(store: StoreFile): void {
  if (!isInPlace(store)) throw storeMoved(store);
}

export type StoreWatch = ReturnType<typeof watchStore>;

const checkEveryMs = 250;

/** Notices when a store in use, its log or its shared memory is moved, replaced or removed. */
export function watchStore(store: StoreFile, log: Log | undefined) {
  let isLost = false;
  const check = (): void => {
    if (isLost || isInPlace(store)) return;
    isLost = true;
    log?.error('The store was moved, replaced or removed, so every call is refused until a restart.', {
      store: store.name,
    });
  };
  const timer = setInterval(check, checkEveryMs).unref();
  return {
    /** Why every call is refused from then on: this process and others can no longer see each other's writes. */
    problem: (): PetstoreError | undefined => (isLost ? storeMoved(store) : undefined),
    close: () => clearInterval(timer),
  };
}

/** How long a connection waits for another one's lock. */
export const busyTimeoutMs = 5000;

/**
 * Retries until no other connection holds the lock, for connections without a busy timeout. SQLite's own wait sleeps up
 * to 100 ms between attempts, and a busy neighbour takes the lock again each time.
 */
export function whenFree<Result>(action: () => Result, pauseMs = 1): Result {
  const deadline = performance.now() + busyTimeoutMs;
  for (;;) {
    try {
      return action();
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
      // Random, so that waiting processes do not retry in step.
      Bun.sleepSync(pauseMs * (0.5 + Math.random()));
    }
  }
}

/** Notices commits by this process and others. */
export interface CommitWatch {
  /** Whether there was a commit since the last call. */
  takeChange: () => boolean;
  /** Whether it also notices commits during a read transaction. */
  seesDuringReads: boolean;
}

export type Freshness = ReturnType<typeof createFreshness>;

/**
 * Keeps reads and caches as new as the file; fails with `unavailable` once the store is moved. Checks for commits at every
 * call, not once per turn of the event loop, because a connection that arrives during a turn can be served within it. The
 * reads of a turn share one transaction until the next commit: starting and ending one costs more than reading a pet.
 */
export function createFreshness(
  database: Database,
  commits: CommitWatch,
  store: Pick<StoreWatch, 'problem'>,
) {
  const begin = database.query('BEGIN');
  const commit = database.query('COMMIT');
  let version = 0;
  let ending: NodeJS.Immediate | undefined;

  const endRead = (): void => {
    if (!ending) return;
    clearImmediate(ending);
    ending = undefined;
    // SQLite itself ends the transaction after some errors.
    if (database.inTransaction) commit.run();
  };

  const check = (): void => {
    const problem = store.problem();
    if (problem) throw problem;
    if (!commits.takeChange()) return;
    version += 1;
    endRead();
  };

  return {
    /** Changes with every commit by any process. */
    version: (): number => {
      try {
        check();
        return version;
      } catch (error) {
        throw callerError(error);
      }
    },
    /** Runs a query that sees every commit made so far. */
    read<Result>(query: () => Result): Result {
      try {
        check();
        if (!ending && commits.seesDuringReads) {
          begin.run();
          ending = setImmediate(endRead);
        }
        return query();
      } catch (error) {
        throw callerError(error);
      }
    },
    close: endRead,
  };
}

const headerBytes = 48;
/** Offsets in 32-bit words of the commit counter and the header's checksum, which covers the state of the log. */
const [changesAt, checksumAt] = [2, 10];

/**
 * Maps the header of SQLite's shared memory, which every commit by any process rewrites, so that a check is nearly
 * free. The format is fixed: https://sqlite.org/walformat.html. Call it after the first read, which creates that memory.
 */
export function watchWalIndex(path: string): CommitWatch | undefined {
  const bytes = mapFile(`${path}-shm`, headerBytes);
  if (!bytes) return undefined;
  const words = new Uint32Array(bytes);
  let changes = words[changesAt];
  let checksum = words[checksumAt];
  const takeChange = (): boolean => {
    // A commit that is still writing the header may be noticed twice, which is harmless.
    if (words[changesAt] === changes && words[checksumAt] === checksum) return false;
    changes = words[changesAt];
    checksum = words[checksumAt];
    return true;
  };
  return { takeChange, seesDuringReads: true };
}

/** Asks SQLite instead, if its shared memory cannot be read. */
export function watchDataVersion(database: Database): CommitWatch {
  const select = database.query<{ data_version: number }, []>('PRAGMA data_version');
  let seen = select.get()?.data_version;
  const takeChange = (): boolean => {
    const version = select.get()?.data_version;
    if (version === seen) return false;
    seen = version;
    return true;
  };
  return { takeChange, seesDuringReads: false };
}
