import type { Database } from 'bun:sqlite';
import type { Report } from '../../../system/progress.ts';
import {
  type CheckedStore,
  type CheckOptions,
  checkRows,
  emptyStore,
  type StoreContent,
} from '../../check.ts';
import type { StoreTables } from '../../copy.ts';
import { openForReading, refuseDamage, sqliteVersion } from '../connect.ts';
import { damaged, operatorError } from '../errors.ts';
import { findStore, refuseUnwritable, warnOfReaders } from '../file.ts';
import { isWithoutSchema } from '../schema.ts';
import { createStatements } from '../statements.ts';

/** Reads a whole store as a start would find it, and changes nothing. */
export async function checkSqlite({
  path: name,
  log,
  report,
}: CheckOptions & { path: string }): Promise<CheckedStore> {
  const engine = `SQLite ${sqliteVersion()}`;
  refuseUnwritable(name);
  if (!findStore(name)) return { engine, content: undefined };
  const { store, database } = openForReading(name);
  try {
    if (isWithoutSchema(database)) return { engine, content: undefined };
    warnOfReaders(store, log);
    report.step(`Checking ${name}`);
    refuseDamage(database, name);
    return { engine, content: await checkFile(database, name, report) };
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
  const { run } = createStatements(database);
  const scan: StoreTables['scan'] = async (statement, values) => run(statement, values);
  return await checkRows({ scan }, { report, damaged: (row) => damaged(name, row) });
}
