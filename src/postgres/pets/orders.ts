import type { OrderPageRequest } from '../../domain/experimental-store.ts';
import { int64Range } from '../../domain/int64.ts';
import { renderOrder } from '../../domain/order.ts';
import { pageOf, type Page } from '../../domain/pet.ts';
import { orderColumns, orderOf, type OrderRow } from './order-row.ts';
import type { Reader } from './pages.ts';

/** A page of orders. As for pets, a page of one status is read in the order of the index by status alone. */
export async function readOrders(
  database: Reader,
  { limit, status, after = int64Range.smallest }: OrderPageRequest,
): Promise<Page> {
  const [name, condition, order, filter] =
    status === undefined
      ? ['select-orders', 'id > $1::bigint', 'id', []]
      : ['select-orders-of-status', isOfStatus, 'status, id', [status]];
  const text = `SELECT ${orderColumns} FROM orders WHERE ${condition} ORDER BY ${order} LIMIT $2::integer`;
  const rows = await database.read<OrderRow>({ name, text }, [String(after), limit + 1, ...filter]);
  return pageOf(rows, limit, (row) => renderOrder(orderOf(row)));
}

const isOfStatus = `(status, id) > ($3, $1::bigint) AND (status, id) <= ($3, ${int64Range.largest})`;
