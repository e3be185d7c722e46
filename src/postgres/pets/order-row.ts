import { columnsOf } from '../../domain/bulk-store.ts';
import { orderStatuses, orderTable } from '../../domain/order.ts';

const quotedStatuses = orderStatuses.map((status) => `'${status}'`).join(', ');

/** The `WITH` query that writes an order for each pet of another one, which says by whom, that has become pending or sold. */
export function insertOrders(pets: string, now: string, condition = 'true'): string {
  return `ordered AS (
      INSERT INTO orders (${columnsOf(orderTable)})
      SELECT nextval('order_ids'), id, status, ${now}::bigint, created_by FROM ${pets} WHERE status IN (${quotedStatuses}) AND ${condition} RETURNING 1
    )`;
}
