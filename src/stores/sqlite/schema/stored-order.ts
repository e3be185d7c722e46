import type { Database } from 'bun:sqlite';
import type { ColumnValue } from '../../../domain/table.ts';
import {
  orderTable,
  renderOrder,
  type NewOrder,
  type Order,
  type OrderReturn,
  type OrderRow as PlainRow,
} from '../../../domain/order.ts';
import { createIds } from './ids.ts';
import { insertSql, selectColumns } from './sql.ts';
import { checksumOf, damagedRow } from './stored-pet.ts';

/** A row of the table. The checksum covers the order's JSON and reveals a flipped bit, as it does for a pet. */
export type OrderRow = PlainRow & { checksum: string };

/** How orders are stored. Readers check each row with {@link orderOf}. */
export const storedOrders = {
  ...orderTable,
  columns: { ...orderTable.columns, checksum: 'bigint' },
  valuesOf: (order: Order) => [...orderTable.valuesOf(order), checksumOf(renderOrder(order))],
} as const;

/** The order in a row; undefined if the row is damaged. */
export function orderOf(row: OrderRow): Order | undefined {
  try {
    const order = orderTable.parse(row);
    return checksumOf(renderOrder(order)) === Number(row.checksum) ? order : undefined;
  } catch {
    // A damaged id may not be a number, and a damaged time not a date.
    return undefined;
  }
}

/** The order's JSON. Throws if the row is damaged. */
export function verifiedOrder(row: OrderRow): string {
  const order = orderOf(row);
  if (!order) throw damagedRow('an order', JSON.stringify(row));
  return renderOrder(order);
}

/** Writes orders within a transaction of a writing connection. */
export interface OrderWriter {
  add(orders: readonly NewOrder[]): void;
  /** Marks every open order of the pet. */
  markReturned(petId: bigint, orderReturn: OrderReturn): void;
}

export function createOrderWriter(database: Database): OrderWriter {
  const ids = createIds(database, 'orders');
  const insert = database.query<unknown, ColumnValue[]>(insertSql(storedOrders));
  const update = database.query<unknown, ColumnValue[]>(
    'UPDATE orders SET returned_at = ?2, returned_by = ?3, checksum = ?4 WHERE id = ?1',
  );
  const selectStanding = database.query<OrderRow, [bigint]>(
    `SELECT ${selectColumns(storedOrders)} FROM orders WHERE pet_id = ?1 AND returned_at IS NULL`,
  );
  return {
    add(orders) {
      ids.begin();
      for (const order of orders) insert.run(...storedOrders.valuesOf({ id: ids.next(), ...order }));
    },
    markReturned(petId, orderReturn) {
      for (const row of selectStanding.all(petId)) {
        const order = orderOf(row);
        // Skip it: a new checksum would hide the damage.
        if (!order) continue;
        const { returnedAt, returnedBy = null } = orderReturn;
        const checksum = checksumOf(renderOrder({ ...order, ...orderReturn }));
        update.run(order.id, returnedAt.getTime(), returnedBy, checksum);
      }
    },
  };
}
