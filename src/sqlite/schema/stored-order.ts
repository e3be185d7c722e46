import type { Database } from 'bun:sqlite';
import type { ColumnValue } from '../../domain/table.ts';
import {
  orderTable,
  renderOrder,
  type NewOrder,
  type Order,
  type OrderReturn,
  type OrderRow as PlainRow,
} from '../../domain/order.ts';
import { createIds } from './ids.ts';
import { insertSql, selectColumns } from './sql.ts';
import { checksumOf, damagedRow } from './stored-pet.ts';

/** A row of the table. Its checksum is that of the order's JSON, so that a flipped bit is noticed, as in a pet. */
export type OrderRow = PlainRow & { checksum: string };

/** How orders are stored. Whoever reads a row checks it with {@link orderOf}. */
export const storedOrders = {
  ...orderTable,
  columns: { ...orderTable.columns, checksum: 'bigint' },
  valuesOf: (order: Order) => [...orderTable.valuesOf(order), checksumOf(renderOrder(order))],
} as const;

/** The order of a row; undefined when the row is not as it was written. */
export function orderOf(row: OrderRow): Order | undefined {
  try {
    const order = orderTable.parse(row);
    return checksumOf(renderOrder(order)) === Number(row.checksum) ? order : undefined;
  } catch {
    // A damaged id may be no number, and a damaged time no date.
    return undefined;
  }
}

/** The order's JSON. Throws when the row is not as it was written. */
export function verifiedOrder(row: OrderRow): string {
  const order = orderOf(row);
  if (!order) throw damagedRow('an order', JSON.stringify(row));
  return renderOrder(order);
}

/** Writes orders within a transaction of a writing connection. */
export interface OrderWriter {
  add(order: NewOrder): void;
  /** Marks every order of the pet that still stands. */
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
    add(order) {
      ids.begin();
      insert.run(...storedOrders.valuesOf({ id: ids.next(), ...order }));
    },
    markReturned(petId, orderReturn) {
      for (const row of selectStanding.all(petId)) {
        const order = orderOf(row);
        // A new checksum would hide that a row is damaged.
        if (!order) continue;
        const { returnedAt, returnedBy = null } = orderReturn;
        const checksum = checksumOf(renderOrder({ ...order, ...orderReturn }));
        update.run(order.id, returnedAt.getTime(), returnedBy, checksum);
      }
    },
  };
}
