import { outcomeUnknown, storeMoved } from '../errors.ts';
import { isInPlace, type StoreFile } from './store-file.ts';

/** Runs a transaction; fails unless the store's name leads to the file that it is written to, before and after. */
export function whileInPlace<Result>(store: StoreFile, transaction: () => Result): Result {
  if (!isInPlace(store)) throw storeMoved(store);
  const result = transaction();
  if (!isInPlace(store)) throw outcomeUnknown('The store was moved', storeMoved(store));
  return result;
}
