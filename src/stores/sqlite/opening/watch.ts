import type { PetstoreError } from '../../../domain/error.ts';
import type { Log } from '../../../system/log.ts';
import { outcomeUnknown, storeMoved } from '../errors.ts';
import { isInPlace, type StoreFile } from './find.ts';

/** Notices when a store in use, its log or its shared memory is moved, replaced or removed. */
export interface StoreWatch {
  /** Why every call is refused from then on: this process and others can no longer see each other's writes. */
  problem(): PetstoreError | undefined;
  close(): void;
}

const checkEveryMs = 250;

export function watchStore(store: StoreFile, log: Log | undefined): StoreWatch {
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
    problem: () => (isLost ? storeMoved(store) : undefined),
    close: () => clearInterval(timer),
  };
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
