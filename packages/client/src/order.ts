import { fieldsOf, isInteger, toDate } from './wire/json.ts';

/** The status that the pet got with this order. */
export type OrderStatus = 'pending' | 'sold';

/** The service writes an order each time a pet becomes pending or sold. */
export interface Order {
  /** An exact 64-bit integer. */
  id: bigint;
  /** The pet's id. The pet itself may have been deleted. */
  petId: bigint;
  status: OrderStatus;
  createdAt: Date;
  /** The name of the API key; absent for sample orders, which no key created. */
  createdBy?: string;
  /** The pet's name and category at that time. */
  name?: string;
  categoryId?: bigint;
  /** When the pet was returned; absent if it was not. */
  returnedAt?: Date;
  /** The name of the API key that returned it. */
  returnedBy?: string;
}

/** One page of a list of orders. */
export interface OrderPage {
  /** Oldest first, unless you asked for the newest. With `since` or `until`, and without `petId`, sorted by time. */
  orders: Order[];
  /** Pass it to `listOrders({ next })` to get the next page. Absent on the last page. */
  next?: string;
}

/** Reads an order from parsed JSON; undefined if the value is not one. */
export function toOrder(value: unknown): Order | undefined {
  const { id, petId, status, createdAt, createdBy, name, categoryId, returnedAt, returnedBy } =
    fieldsOf(value);
  const [createdDate, returnDate] = [toDate(createdAt), toDate(returnedAt)];
  if (!isInteger(id) || !isInteger(petId) || !createdDate) return undefined;
  if (status !== 'pending' && status !== 'sold') return undefined;
  return {
    id: BigInt(id),
    petId: BigInt(petId),
    status,
    createdAt: createdDate,
    ...(typeof createdBy === 'string' && { createdBy }),
    ...(typeof name === 'string' && { name }),
    ...(isInteger(categoryId) && { categoryId: BigInt(categoryId) }),
    ...(returnDate && { returnedAt: returnDate }),
    ...(typeof returnedBy === 'string' && { returnedBy }),
  };
}
