import type { Database } from 'bun:sqlite';
import type { Report } from '../../domain/progress.ts';
import { damaged } from '../errors.ts';
import { orderOf, orderRowColumns, type OrderRow } from '../stored-order.ts';
import { isIntact, storedPetColumns, type RenderedPet } from '../stored-pet.ts';

/** How much a store holds. */
export interface StoreContent {
  petCount: number;
  orderCount: number;
}

/** Compares every pet and every order with its checksum. */
export function refuseDamagedRows(database: Database, name: string, report: Report): StoreContent {
  const petCount = countChecked(database, {
    table: 'pets',
    select: `SELECT CAST(id AS TEXT) AS id, ${storedPetColumns} FROM pets`,
    isSound: (pet: RenderedPet & { id: string }) => isIntact(pet, pet.id),
    name,
    report,
  });
  const orderCount = countChecked(database, {
    table: 'orders',
    select: `SELECT ${orderRowColumns} FROM orders`,
    isSound: (row: OrderRow) => orderOf(row) !== undefined,
    name,
    report,
  });
  return { petCount, orderCount };
}

interface CheckedTable<Row> {
  table: 'pets' | 'orders';
  select: string;
  isSound: (row: Row) => boolean;
  /** The store, as the operator named it. */
  name: string;
  report: Report;
}

const rowsPerReport = 10_000;

function countChecked<Row>(database: Database, checked: CheckedTable<Row>): number {
  const { table, select, isSound, name, report } = checked;
  const columns = database
    .query<{ name: string }, [string]>('SELECT name FROM pragma_table_info(?1)')
    .all(table);
  // The store of an older release may lack the table, or store no checksums.
  if (columns.length === 0) return 0;
  const { total } = database.query(`SELECT count(*) AS total FROM ${table}`).get() as { total: number };
  if (total === 0 || columns.every((column) => column.name !== 'checksum')) return total;
  using progress = report.progress(`${table} read`, total);
  let count = 0;
  for (const row of database.query<Row, []>(select).iterate()) {
    if (!isSound(row)) throw damaged(name);
    count += 1;
    if (count % rowsPerReport === 0) progress.add(rowsPerReport);
  }
  progress.add(count % rowsPerReport);
  return count;
}
