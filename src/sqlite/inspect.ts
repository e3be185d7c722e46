import type { Database } from 'bun:sqlite';
import type { Report } from '../report.ts';
import { checkOwnership, readPragma } from './migrate.ts';
import { connectToSound, damaged, explain, refuseDamagedPets, refuseOldSqlite } from './file.ts';

export interface Inspection {
  petCount: number;
  /** Keys that are neither revoked nor expired. */
  usableKeyCount: number;
  /** The latest time in the store, in milliseconds since 1970; 0 when it holds none. */
  latestTime: number;
}

/** Looks at an existing store, whole, and changes nothing. Fails with what the service would say of it. */
export function inspectSqlite(path: string, now: number, report: Report): Inspection {
  let database: Database | undefined;
  try {
    database = connectToSound(path);
    database.run('PRAGMA query_only = ON');
    return inspect(database, path, now, report);
  } catch (error) {
    throw explain(error, path);
  } finally {
    database?.close();
  }
}

function inspect(database: Database, path: string, now: number, report: Report): Inspection {
  const read = (sql: string): unknown =>
    Object.values(database.query(sql).get() as Record<string, unknown>)[0];
  refuseOldSqlite(String(read('SELECT sqlite_version()')));
  checkOwnership(database, path);
  report.step(`Checking ${path}`);
  if (read('PRAGMA quick_check(1)') !== 'ok') throw damaged(path);
  // A file that a first start has left behind without a schema: the next start makes it.
  if (readPragma(database, 'schema_version') === 0) return { petCount: 0, usableKeyCount: 0, latestTime: 0 };
  return {
    petCount: refuseDamagedPets(database, path, report),
    usableKeyCount: Number(
      read(
        `SELECT count(*) FROM api_keys WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${now})`,
      ),
    ),
    latestTime: Number(
      read(`SELECT max(time) FROM (
        SELECT max(created_at) AS time FROM api_keys UNION ALL SELECT max(last_used_at) FROM api_keys
        UNION ALL SELECT max(created_at) FROM idempotency_keys UNION ALL SELECT probed_at FROM write_probe)`),
    ),
  };
}
