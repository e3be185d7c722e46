import type { OrderPageRequest } from '../../domain/experimental-store.ts';
import { int64Range } from '../../domain/int64.ts';
import { renderOrder } from '../../domain/order.ts';
import type { Page } from '../../domain/pet.ts';
import { pageOf, type Reader } from '../dialect/dialect.ts';
import { orderColumns, orderOf, type OrderRow } from './order-row.ts';

/**
 * A page of orders, the same query in both dialects. As for pets, a limit is a constant where an engine wants one, and a
 * page of one status is read in the order of the index by status alone.
 */
export async function readOrders(
  database: Reader,
  { limit, status, after = int64Range.smallest }: OrderPageRequest,
): Promise<Page> {
  const [name, condition, order, filter] =
    status === undefined
      ? [`select-orders-${limit}`, 'id > $1::bigint', 'id', []]
      : [`select-orders-of-status-${limit}`, isOfStatus, 'status, id', [status]];
  const text = `SELECT ${orderColumns} FROM orders WHERE ${condition} ORDER BY ${order} LIMIT ${limit + 1}`;
  const rows = await database.read<OrderRow>({ name, text }, [String(after), ...filter]);
  return pageOf(rows, limit, (row) => renderOrder(orderOf(row)));
}

const isOfStatus = `(status, id) > ($2, $1::bigint) AND (status, id) <= ($2, ${int64Range.largest})`;
