import type { Database } from 'bun:sqlite';
import type { Report } from '../../../system/progress.ts';
import { damaged } from '../errors.ts';
import { isWithoutSchema, readPragma } from './migrate.ts';
import { selectColumns } from './sql.ts';
import { orderOf, storedOrders, type OrderRow } from './stored-order.ts';
import { isIntact, selectStoredPet, type RenderedPet } from './stored-pet.ts';

/** The number of rows in a store. */
export interface StoreContent {
  petCount: number;
  orderCount: number;
  keyCount: number;
}

const rowsPerReport = 10_000;

/** Compares every pet and order with its checksum, and reads every key. */
export function refuseDamagedRows(database: Database, name: string, report: Report): StoreContent {
  const countSound = (table: string, columns: string, isSound: (row: never) => boolean): number => {
    const { total } = database.query(`SELECT count(*) AS total FROM ${table}`).get() as { total: number };
    if (total === 0) return 0;
    using progress = report.progress(`${table} read`, total);
    let count = 0;
    for (const row of database.query<never, []>(`SELECT ${columns} FROM ${table}`).iterate()) {
      if (!isSound(row)) throw damaged(name);
      count += 1;
      if (count % rowsPerReport === 0) progress.add(rowsPerReport);
    }
    progress.add(count % rowsPerReport);
    return count;
  };
  // The first start was interrupted after it created the file and before it created the schema.
  if (isWithoutSchema(database)) return { petCount: 0, orderCount: 0, keyCount: 0 };
  // Before version 7, orders have no createdBy or returnedAt.
  const isOlder = readPragma(database, 'user_version') < 7;
  const newColumns = /created_by|CAST\(returned_at AS TEXT\) AS returned_at|returned_by/g;
  const columns = selectColumns(storedOrders);
  const orderColumns = isOlder
    ? columns.replace(newColumns, (column) => `NULL AS ${column.split(' ').at(-1)}`)
    : columns;
  return {
    petCount: countSound('pets', selectStoredPet, (pet: RenderedPet & { id: string }) =>
      isIntact(pet, pet.id),
    ),
    orderCount: countSound('orders', orderColumns, (row: OrderRow) => orderOf(row) !== undefined),
    keyCount: countKeys(database, name),
  };
}

/** Keys have no checksum, but one with an invalid form is certainly damaged. */
function countKeys(database: Database, name: string): number {
  const keys = database
    .query<Record<'hash' | 'name' | 'createdAt', unknown>, []>(
      'SELECT hash, name, created_at AS createdAt FROM api_keys',
    )
    .all();
  const isSound = keys.every(
    ({ hash, name: keyName, createdAt }) =>
      /^[0-9a-f]{64}$/.test(String(hash)) && typeof keyName === 'string' && Number.isSafeInteger(createdAt),
  );
  if (!isSound) throw damaged(name);
  return keys.length;
}
