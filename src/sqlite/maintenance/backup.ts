import { existsSync } from 'node:fs';
import { OperatorError } from '../../domain/error.ts';
import type { Report } from '../../domain/progress.ts';
import { noStore } from '../errors.ts';
import type { StoreContent } from '../opening/check-rows.ts';
import { copyStore } from '../opening/copy-store.ts';
import { findExisting, isFileOfStore } from '../opening/store-file.ts';

/** Backs a store up into a new file while services go on using it. */
export function backUpSqlite(name: string, file: string, report: Report): StoreContent {
  if (isFileOfStore(name, file))
    throw new OperatorError(`${file} belongs to the store itself.`, 'Choose another name for the backup.');
  if (existsSync(file))
    throw new OperatorError(`${file} exists and is not overwritten.`, 'Choose another name.');
  const store = findExisting(name);
  if (!store) throw noStore(name);
  return copyStore(store, file, report);
}
