import { orderStatuses, type Order, type OrderStatus } from '../../domain/order.ts';

/** A row of `orders`. */
export interface OrderRow {
  id: string;
  pet_id: string;
  status: OrderStatus;
  created_at: string;
}

export const orderColumns = 'id, pet_id, status, created_at';

export function orderOf({ id, pet_id: petId, status, created_at: createdAt }: OrderRow): Order {
  return { id: BigInt(id), petId: BigInt(petId), status, createdAt: new Date(Number(createdAt)) };
}

const quotedStatuses = orderStatuses.map((status) => `'${status}'`).join(', ');

/** The `WITH` query that writes an order for each pet of another one that has become pending or sold. */
export function insertOrders(pets: string, now: string, condition = 'true'): string {
  return `ordered AS (
      INSERT INTO orders (${orderColumns}) SELECT nextval('order_ids'), id, status, ${now}::bigint FROM ${pets}
      WHERE status IN (${quotedStatuses}) AND ${condition} RETURNING 1
    )`;
}
