import { OutcomeUnknownError, type PetstoreError } from '../../domain/error.ts';
import type { Log } from '../../system/log.ts';
import { storeMoved } from './errors.ts';
import { identityOf, type StoreFile } from './file.ts';

/** Whether the files of a store in use are in their place. */

const suffixes = ['', '-wal', '-shm'];

/** Adds the identity of the side files. A connection must already have read the store in WAL mode. */
export function withSideFiles(store: StoreFile): StoreFile {
  const identities = suffixes.map((suffix) => identityOf(`${store.path}${suffix}`));
  return { ...store, identities: [...store.identities, ...identities.slice(1)] };
}

/**
 * Whether the path still leads to this file, log and shared memory. Processes that do not share this memory cannot see
 * each other's commits. This is cheap enough to run after every commit.
 */
export function isInPlace({ path, identities }: StoreFile): boolean {
  return identities.every(
    (identity, index) => identity !== undefined && identity === identityOf(`${path}${suffixes[index]}`),
  );
}

/** Call it after a commit: one in a moved file may be lost. */
export function confirmInPlace(store: StoreFile): void {
  if (!isInPlace(store)) throw new OutcomeUnknownError('The store was moved', storeMoved(store));
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
    /** The error of every call once the store has moved: processes can no longer see each other's writes. */
    problem: (): PetstoreError | undefined => (isLost ? storeMoved(store) : undefined),
    close: () => clearInterval(timer),
  };
}
