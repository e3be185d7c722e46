import type { Database } from 'bun:sqlite';
import { existsSync } from 'node:fs';
import { OperatorError } from '../../domain/error.ts';
import type { Report } from '../../domain/progress.ts';
import { explainOpening, isBusy } from '../errors.ts';
import { refuseDamagedRows, type StoreContent } from '../opening/check-rows.ts';
import { refuseDamage, refuseOldSqlite } from '../opening/check-store.ts';
import { openAlone } from '../opening/alone.ts';
import { connect, whenFree } from '../opening/connect.ts';
import { readUnchanged } from '../opening/read-only.ts';
import { findExisting, type StoreFile } from '../opening/store-file.ts';
import { openGuard } from '../opening/writable.ts';
import { checkOwnership, isWithoutSchema } from '../schema/migrate.ts';

export interface Inspection extends StoreContent {
  /** Keys that are neither revoked nor expired. */
  usableKeyCount: number;
}

/** Reads a whole store and changes no byte of it. Fails as the service would. */
export function inspectSqlite(name: string, now: number, report: Report): Inspection {
  refuseOldSqlite();
  const store = findExisting(name);
  if (!store) return nothing;
  const inspection = readUnchanged(store, (database) => inspect(database, name, now, report));
  refuseLocked(store);
  return inspection;
}

/**
 * Takes the write lock as a write does, and gives it back. Without both side files, the connection above had the store
 * for itself. An ordinary connection is safe only while somebody else has it open: it renews the shared memory.
 */
function refuseLocked(store: StoreFile): void {
  if (!['-wal', '-shm'].every((suffix) => existsSync(`${store.path}${suffix}`))) return;
  let database: Database | undefined;
  let guard: Database | undefined;
  try {
    if (isAlone(store)) return;
    guard = openGuard(store);
    const writing = (database = connect(store));
    writing.run('PRAGMA busy_timeout = 0');
    whenFree(() => writing.run('BEGIN IMMEDIATE'));
    writing.run('ROLLBACK');
  } catch (error) {
    if (!isBusy(error)) throw explainOpening(error, store);
    throw new OperatorError(
      `Another process holds the write lock of ${store.name}, so every write fails.`,
      `End it: fuser -v ${store.path} names the processes that have the store open.`,
    );
  } finally {
    database?.close();
    guard?.close();
  }
}

/** Whether nobody has the store open, so that nobody holds its lock. */
function isAlone(store: StoreFile): boolean {
  try {
    openAlone(store).close();
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}

const nothing: Inspection = { petCount: 0, orderCount: 0, keyCount: 0, usableKeyCount: 0 };

const selectState = `
  SELECT
    (SELECT count(*) FROM api_keys
     WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?1)) AS usableKeyCount`;

function inspect(database: Database, name: string, now: number, report: Report): Inspection {
  checkOwnership(database, name);
  report.step(`Checking ${name}`);
  refuseDamage(database, name);
  if (isWithoutSchema(database)) return nothing;
  const content = refuseDamagedRows(database, name, report);
  const state = database.query<Omit<Inspection, keyof StoreContent>, [number]>(selectState).get(now);
  return { ...nothing, ...state, ...content };
}
