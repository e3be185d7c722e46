import type { Database } from 'bun:sqlite';
import type { Report } from '../../../system/progress.ts';
import { openForReading, refuseDamage } from '../connect.ts';
import { damaged, operatorError } from '../errors.ts';
import { findStore } from '../file.ts';
import {
  type Checked,
  type CheckedForm,
  isIntact,
  selectColumns,
  storedCategories,
  storedOrders,
  storedPets,
} from '../rows.ts';
import { isWithoutSchema } from '../schema.ts';

/** Reads a whole store, and counts the keys that are neither revoked nor expired. Fails where the service would. */
export function inspectSqlite(
  name: string,
  now: number,
  report: Report,
): StoreContent & { usableKeyCount: number } {
  if (!findStore(name)) return { ...emptyStore, usableKeyCount: 0 };
  const { database } = openForReading(name);
  try {
    report.step(`Checking ${name}`);
    refuseDamage(database, name);
    const content = refuseDamagedRows(database, name, report);
    return { ...content, usableKeyCount: content.keyCount && countUsableKeys(database, now) };
  } catch (error) {
    throw operatorError(error, name);
  } finally {
    database.close();
  }
}

function countUsableKeys(database: Database, now: number): number {
  const usable = '(revoked_at IS NULL OR revoked_at > ?1) AND (expires_at IS NULL OR expires_at > ?1)';
  const select = database.query<{ count: number }, [number]>(
    `SELECT count(*) AS count FROM api_keys WHERE ${usable}`,
  );
  return select.get(now)?.count ?? 0;
}

/** The number of rows in a store. */
export interface StoreContent {
  petCount: number;
  orderCount: number;
  keyCount: number;
}

const emptyStore: StoreContent = { petCount: 0, orderCount: 0, keyCount: 0 };

const renderedPets = {
  ...storedPets,
  parse: ({ id, json, checksum }: Checked<{ id: string; json: string }>) =>
    isIntact({ json, checksum: Number(checksum) }, id) || undefined,
};

/** Compares every pet, order and category with its checksum, and counts the keys. */
export function refuseDamagedRows(database: Database, name: string, report: Report): StoreContent {
  const countSound = <Row, Stored>(
    table: Pick<CheckedForm<Row, Stored>, 'name' | 'columns' | 'parse'>,
    noun: string,
  ): number => {
    const total = countRows(database, table.name);
    if (total === 0) return 0;
    using progress = report.progress(`${table.name} read`, total);
    const select = `SELECT ${selectColumns(table)} FROM ${table.name}`;
    for (const row of database.query<Stored & { id: string }, []>(select).iterate()) {
      if (table.parse(row) === undefined) throw damaged(name, `${noun} ${row.id}`);
      progress.add(1);
    }
    return total;
  };
  // The first start was interrupted after it created the file and before it created the schema.
  if (isWithoutSchema(database)) return emptyStore;
  countSound(storedCategories, 'category');
  return {
    petCount: countSound(renderedPets, 'pet'),
    orderCount: countSound(storedOrders, 'order'),
    keyCount: countRows(database, 'api_keys'),
  };
}

function countRows(database: Database, table: string): number {
  return database.query<{ count: number }, []>(`SELECT count(*) AS count FROM ${table}`).get()?.count ?? 0;
}
