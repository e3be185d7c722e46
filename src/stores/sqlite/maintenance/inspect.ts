import type { Database } from 'bun:sqlite';
import type { Report } from '../../../system/progress.ts';
import { openForReading, refuseDamage } from '../connect.ts';
import { damaged, operatorError } from '../errors.ts';
import { findStore } from '../file.ts';
import { isWithoutSchema } from '../migrate.ts';
import {
  type CheckedForm,
  isIntact,
  type RenderedPet,
  selectColumns,
  selectStoredPet,
  storedCategories,
  storedOrders,
} from '../rows.ts';

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
    const usableKeyCount = isWithoutSchema(database) ? 0 : countUsableKeys(database, now);
    return { ...content, usableKeyCount };
  } catch (error) {
    throw operatorError(error, name);
  } finally {
    database.close();
  }
}

function countUsableKeys(database: Database, now: number): number {
  const usable = 'revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?1)';
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
const rowsPerReport = 10_000;
const nouns: Record<string, string> = { pets: 'pet', orders: 'order', categories: 'category' };

/** Compares every pet, order and category with its checksum, and reads every key. */
export function refuseDamagedRows(database: Database, name: string, report: Report): StoreContent {
  const countSound = (table: string, columns: string, isSound: (row: never) => boolean): number => {
    const { total } = database.query(`SELECT count(*) AS total FROM ${table}`).get() as { total: number };
    if (total === 0) return 0;
    using progress = report.progress(`${table} read`, total);
    let count = 0;
    for (const row of database.query<{ id: string }, []>(`SELECT ${columns} FROM ${table}`).iterate()) {
      if (!isSound(row as never)) throw damaged(name, `${nouns[table]} ${row.id}`);
      count += 1;
      if (count % rowsPerReport === 0) progress.add(rowsPerReport);
    }
    progress.add(count % rowsPerReport);
    return count;
  };
  // The first start was interrupted after it created the file and before it created the schema.
  if (isWithoutSchema(database)) return emptyStore;
  const countChecked = <Row, Stored>(table: CheckedForm<Row, Stored>): number => {
    const existing = columnsIn(database, table.name);
    if (existing.size === 0) return 0;
    return countSound(
      table.name,
      selectColumns(table, existing),
      (row: Stored) => table.parse(row) !== undefined,
    );
  };
  countChecked(storedCategories);
  return {
    petCount: countSound('pets', selectStoredPet, (pet: RenderedPet & { id: string }) =>
      isIntact(pet, pet.id),
    ),
    orderCount: countChecked(storedOrders),
    keyCount: countKeys(database, name),
  };
}

/** A store of an older version has fewer columns, and none in a table that it lacks. */
function columnsIn(database: Database, table: string): Set<string> {
  const rows = database
    .query<{ name: string }, [string]>('SELECT name FROM pragma_table_info(?1)')
    .all(table);
  return new Set(rows.map(({ name }) => name));
}

/** Keys have no checksum, but one with an invalid form is certainly damaged. */
function countKeys(database: Database, name: string): number {
  const { count, sound } = database
    .query(
      `SELECT count(*) AS count, count(*) FILTER (WHERE length(hash) = 64 AND hash NOT GLOB '*[^0-9a-f]*'
         AND typeof(name) = 'text' AND typeof(created_at) = 'integer') AS sound FROM api_keys`,
    )
    .get() as Record<'count' | 'sound', number>;
  if (sound !== count) throw damaged(name);
  return count;
}
