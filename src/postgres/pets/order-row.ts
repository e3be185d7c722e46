import { orderStatuses, type Order, type OrderStatus } from '../../domain/order.ts';

/** A row of `orders`. */
export interface OrderRow {
  id: string;
  pet_id: string;
  status: OrderStatus;
  created_at: string;
  created_by: string | null;
}

export const orderColumns = 'id, pet_id, status, created_at, created_by';

export function orderOf({ id, pet_id: petId, status, created_at: createdAt, ...row }: OrderRow): Order {
  return {
    id: BigInt(id),
    petId: BigInt(petId),
    status,
    createdAt: new Date(Number(createdAt)),
    ...(row.created_by !== null && { createdBy: row.created_by }),
  };
}

const quotedStatuses = orderStatuses.map((status) => `'${status}'`).join(', ');

/** The `WITH` query that writes an order for each pet of another one, which says by whom, that has become pending or sold. */
export function insertOrders(pets: string, now: string, condition = 'true'): string {
  return `ordered AS (
      INSERT INTO orders (${orderColumns})
      SELECT nextval('order_ids'), id, status, ${now}::bigint, created_by FROM ${pets} WHERE status IN (${quotedStatuses}) AND ${condition} RETURNING 1
    )`;
}
