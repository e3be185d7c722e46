import type { Database } from 'bun:sqlite';
import { renderOrder, type Order, type OrderStatus } from '../domain/order.ts';
import { createIds } from './ids.ts';
import { checksumOf, damagedRow, type Value } from './stored-pet.ts';

/** A row of the table. Its checksum is that of the order's JSON, so that a flipped bit is noticed, as in a pet. */
export interface OrderRow {
  id: string;
  petId: string;
  status: OrderStatus;
  createdAt: number;
  createdBy: string | null;
  checksum: number;
}

/** The columns of an {@link OrderRow}. */
export const orderRowColumns = `CAST(orders.id AS TEXT) AS id, CAST(pet_id AS TEXT) AS petId, status,
  created_at AS createdAt, created_by AS createdBy, checksum`;

export const orderColumns = 'id, pet_id, status, created_at, created_by, checksum';

/** The values of {@link orderColumns}. */
export function orderValues(order: Order): Value[] {
  const { id, petId, status, createdAt, createdBy = null } = order;
  return [id, petId, status, createdAt.getTime(), createdBy, checksumOf(renderOrder(order))];
}

/** The order of a row; undefined when the row is not as it was written. */
export function orderOf({ id, petId, status, createdAt, createdBy, checksum }: OrderRow): Order | undefined {
  try {
    const by = createdBy !== null && { createdBy };
    const order = { id: BigInt(id), petId: BigInt(petId), status, createdAt: new Date(createdAt), ...by };
    return checksumOf(renderOrder(order)) === checksum ? order : undefined;
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

/** Writes an order within a transaction of a writing connection. */
export type WriteOrder = (order: Omit<Order, 'id'>) => void;

export function createOrderWriter(database: Database): WriteOrder {
  const ids = createIds(database, 'orders');
  const insert = database.query<unknown, Value[]>(
    `INSERT INTO orders (${orderColumns}) VALUES (?1, ?2, ?3, ?4, ?5, ?6)`,
  );
  return (order) => {
    ids.begin();
    insert.run(...orderValues({ id: ids.next(), ...order }));
  };
}
