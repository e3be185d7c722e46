import type { PetstoreError } from '../../domain/error.ts';
import type { Log } from '../../domain/log.ts';
import { outcomeUnknown, refuseMoved, storeMoved } from '../errors.ts';
import { isInPlace, type StoreFile } from './store-file.ts';

/** Notices when a store in use, its log or its shared memory is moved, replaced or removed. */
export interface StoreWatch {
  /** Why every call is refused while the store is not in its place: nobody else would see what is written to it. */
  problem(): PetstoreError | undefined;
  close(): void;
}

const checkEveryMs = 250;

export function watchStore(store: StoreFile, log: Log | undefined): StoreWatch {
  const fields = { store: store.name };
  let isMoved = false;
  const check = (): void => {
    const wasMoved = isMoved;
    isMoved = !isInPlace(store);
    if (isMoved === wasMoved) return;
    if (isMoved) log?.error('The store was moved, replaced or removed, so every call is refused.', fields);
    else log?.info('The store is back in its place.', fields);
  };
  const timer = setInterval(check, checkEveryMs).unref();
  return {
    problem: () => (isMoved ? storeMoved(store) : undefined),
    close: () => clearInterval(timer),
  };
}

/** Runs a transaction. Fails unless the store is in its place before and after. */
export function whileInPlace<Result>(store: StoreFile, transaction: () => Result): Result {
  refuseMoved(store);
  const result = transaction();
  if (!isInPlace(store)) throw outcomeUnknown(storeMoved(store), 'The store was moved');
  return result;
}
