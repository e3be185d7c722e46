import { existsSync } from 'node:fs';
import { OperatorError } from '../../../domain/error.ts';
import type { Report } from '../../../system/progress.ts';
import { copyDatabase } from '../copy.ts';
import { explain } from '../errors.ts';
import { refuseDamage } from '../opening/check.ts';
import { isFileOfStore } from '../opening/find.ts';
import { openForReading } from '../opening/open.ts';
import type { StoreContent } from '../schema/check-rows.ts';

/** Backs up a store into a new file while services use it. The backup holds everything acknowledged before the call. */
export function backUpSqlite(name: string, file: string, report: Report): StoreContent {
  if (isFileOfStore(name, file))
    throw new OperatorError(`${file} belongs to the store itself.`, 'Choose another name for the backup.');
  if (existsSync(file))
    throw new OperatorError(`${file} exists and is not overwritten.`, 'Choose another name.');
  const { database } = openForReading(name);
  try {
    // Check first: a copy of a damaged store would look sound.
    report.step(`Checking ${name}`);
    refuseDamage(database, name);
    return copyDatabase({ database, name, file, report, remedy: 'Make room, or choose another disk.' });
  } catch (error) {
    throw explain(error, name);
  } finally {
    database.close();
  }
}
