import type { PetstoreError } from '../../error.ts';
import type { Log } from '../../log.ts';
import { storeMoved } from '../errors.ts';
import { isInPlace, type StoreFile } from './store-file.ts';

/** Notices when a store in use is moved, replaced or removed, or its log is. */
export interface StoreWatch {
  /** Why every call is refused while the store is not where it was opened: nobody else would see what is in it. */
  problem(): PetstoreError | undefined;
  close(): void;
}

const checkEveryMs = 500;

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
    problem: () => (isMoved ? storeMoved(store.name) : undefined),
    close: () => clearInterval(timer),
  };
}
