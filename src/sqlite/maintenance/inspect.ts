import type { Database } from 'bun:sqlite';
import type { Report } from '../../domain/progress.ts';
import { refuseDamagedRows, type StoreContent } from '../opening/check-rows.ts';
import { refuseDamage, refuseOldSqlite } from '../opening/check-store.ts';
import { readUnchanged } from '../opening/read-only.ts';
import { findExisting } from '../opening/store-file.ts';
import { checkOwnership, readPragma } from '../migrate.ts';

export interface Inspection extends StoreContent {
  /** Keys that are neither revoked nor expired. */
  usableKeyCount: number;
  /** The latest time in the store, in milliseconds since 1970; 0 when it holds none. */
  latestTime: number;
}

/** Reads a whole store and changes no byte of it. Fails as the service would. */
export function inspectSqlite(name: string, now: number, report: Report): Inspection {
  refuseOldSqlite();
  const store = findExisting(name);
  if (!store) return nothing;
  return readUnchanged(store, (database) => inspect(database, name, now, report));
}

const nothing: Inspection = { petCount: 0, orderCount: 0, keyCount: 0, usableKeyCount: 0, latestTime: 0 };

const selectState = (hasOrders: boolean): string => `
  SELECT
    (SELECT count(*) FROM api_keys
     WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?1)) AS usableKeyCount,
    (SELECT coalesce(max(time), 0) FROM (
       SELECT max(created_at) AS time FROM api_keys UNION ALL SELECT max(last_used_at) FROM api_keys
       UNION ALL SELECT max(created_at) FROM idempotency_keys UNION ALL SELECT probed_at FROM write_probe
       ${hasOrders ? 'UNION ALL SELECT max(created_at) FROM orders' : ''}
     )) AS latestTime`;

function inspect(database: Database, name: string, now: number, report: Report): Inspection {
  checkOwnership(database, name);
  report.step(`Checking ${name}`);
  refuseDamage(database, name);
  // A first start made the file and was interrupted before it made the schema; the next one does.
  if (readPragma(database, 'schema_version') === 0) return nothing;
  const content = refuseDamagedRows(database, name, report);
  const state = database
    .query<Omit<Inspection, keyof StoreContent>, [number]>(selectState(content.orderCount > 0))
    .get(now);
  return { ...nothing, ...state, ...content };
}
