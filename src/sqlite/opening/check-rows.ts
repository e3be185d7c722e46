import type { Database } from 'bun:sqlite';
import type { Report } from '../../domain/progress.ts';
import { damaged } from '../errors.ts';
import { orderOf, orderRowColumns, type OrderRow } from '../stored-order.ts';
import { isIntact, storedPetColumns, type RenderedPet } from '../stored-pet.ts';

/** How much a store holds. */
export interface StoreContent {
  petCount: number;
  orderCount: number;
  keyCount: number;
}

const rowsPerReport = 10_000;

/** Compares every pet and every order with its checksum, and reads every key. */
export function refuseDamagedRows(database: Database, name: string, report: Report): StoreContent {
  const countSound = (table: string, columns: string, isSound: (row: never) => boolean): number => {
    const found = database
      .query<{ name: string }, [string]>('SELECT name FROM pragma_table_info(?1)')
      .all(table);
    // The store of an older release may lack the table, or store no checksums.
    if (found.length === 0) return 0;
    const { total } = database.query(`SELECT count(*) AS total FROM ${table}`).get() as { total: number };
    if (total === 0 || found.every((column) => column.name !== 'checksum')) return total;
    using progress = report.progress(`${table} read`, total);
    let count = 0;
    // Orders of before 2.0.0 do not say who wrote them.
    const hasKeys = found.some((column) => column.name === 'created_by');
    const selected = hasKeys ? columns : columns.replace('created_by AS', 'NULL AS');
    for (const row of database.query<never, []>(`SELECT ${selected} FROM ${table}`).iterate()) {
      if (!isSound(row)) throw damaged(name);
      count += 1;
      if (count % rowsPerReport === 0) progress.add(rowsPerReport);
    }
    progress.add(count % rowsPerReport);
    return count;
  };
  const petColumns = `CAST(id AS TEXT) AS id, ${storedPetColumns}`;
  return {
    petCount: countSound('pets', petColumns, (pet: RenderedPet & { id: string }) => isIntact(pet, pet.id)),
    orderCount: countSound('orders', orderRowColumns, (row: OrderRow) => orderOf(row) !== undefined),
    keyCount: countKeys(database, name),
  };
}

/** Keys have no checksum; one that is not of the right form is damaged for sure. */
function countKeys(database: Database, name: string): number {
  const [table] = database.query("SELECT 1 FROM sqlite_schema WHERE name = 'api_keys'").all();
  if (!table) return 0;
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
