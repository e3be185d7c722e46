import type { Database } from 'bun:sqlite';
import type { Report } from '../../../system/progress.ts';
import { checkRows, emptyStore, type StoreContent } from '../../check.ts';
import { openForReading, refuseDamage } from '../connect.ts';
import { damaged, operatorError } from '../errors.ts';
import { findStore } from '../file.ts';
import { isWithoutSchema } from '../schema.ts';
import { scanOf } from '../tables.ts';

/** Reads a whole store and counts its rows. Fails where the service would. */
export async function inspectSqlite(name: string, report: Report): Promise<StoreContent> {
  if (!findStore(name)) return emptyStore;
  const { database } = openForReading(name);
  try {
    report.step(`Checking ${name}`);
    refuseDamage(database, name);
    return await checkFile(database, name, report);
  } catch (error) {
    throw operatorError(error, name);
  } finally {
    database.close();
  }
}

/** Checks every row. Damage is reported as that of the store or backup with this name. */
export async function checkFile(database: Database, name: string, report: Report): Promise<StoreContent> {
  // The first start was interrupted after it created the file and before it made the tables.
  if (isWithoutSchema(database)) return emptyStore;
  const onDamage = (row: string) => damaged(name, row);
  return await checkRows({ scan: scanOf(database) }, { now: Date.now(), report, damaged: onDamage });
}
