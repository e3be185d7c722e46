import type { Database } from 'bun:sqlite';
import { OperatorError } from '../../../domain/error.ts';
import type { Report } from '../../../system/progress.ts';
import { explain, isBusy } from '../errors.ts';
import { refuseDamage, refuseOldSqlite } from '../opening/check.ts';
import { findStore } from '../opening/find.ts';
import { openForReading } from '../opening/open.ts';
import { refuseDamagedRows, type StoreContent } from '../schema/check-rows.ts';
import { isWithoutSchema } from '../schema/migrate.ts';

export interface Inspection extends StoreContent {
  /** Keys that are neither revoked nor expired. */
  usableKeyCount: number;
}

/** Reads a whole store. Fails where the service would. */
export function inspectSqlite(name: string, now: number, report: Report): Inspection {
  refuseOldSqlite();
  if (!findStore(name)) return nothing;
  const { database } = openForReading(name);
  try {
    report.step(`Checking ${name}`);
    refuseDamage(database, name);
    const content = refuseDamagedRows(database, name, report);
    const usableKeyCount = isWithoutSchema(database) ? 0 : countUsableKeys(database, now);
    refuseLocked(database, name);
    return { ...content, usableKeyCount };
  } catch (error) {
    throw explain(error, name);
  } finally {
    database.close();
  }
}

const nothing: Inspection = { petCount: 0, orderCount: 0, keyCount: 0, usableKeyCount: 0 };

function countUsableKeys(database: Database, now: number): number {
  const usable = 'revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?1)';
  const select = database.query<{ count: number }, [number]>(
    `SELECT count(*) AS count FROM api_keys WHERE ${usable}`,
  );
  return select.get(now)?.count ?? 0;
}

/** Takes the write lock, as a write does, and releases it. */
function refuseLocked(database: Database, name: string): void {
  try {
    database.run('BEGIN IMMEDIATE');
    database.run('ROLLBACK');
  } catch (error) {
    if (!isBusy(error)) throw error;
    throw new OperatorError(
      `Another process holds the write lock of ${name}, so every write fails.`,
      `End it: fuser -v ${name} names the processes that have the store open.`,
    );
  }
}
