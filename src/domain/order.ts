import type { TableForm } from './table.ts';
import type { NewPet } from './pet.ts';

export const orderStatuses = ['pending', 'sold'] as const;
export type OrderStatus = (typeof orderStatuses)[number];

/** Records that a pet became pending or sold. It stays when the pet is deleted. */
export interface Order {
  id: bigint;
  petId: bigint;
  status: OrderStatus;
  createdAt: Date;
  /** The name of the API key; absent on orders from before it was recorded. */
  createdBy?: string;
}

export type OrderRow = Record<'id' | 'pet_id' | 'created_at', string> & {
  status: OrderStatus;
  created_by: string | null;
};

export const orderTable: TableForm<Order, OrderRow> = {
  name: 'orders',
  columns: { id: 'bigint', pet_id: 'bigint', status: 'text', created_at: 'bigint', created_by: 'text' },
  keyLength: 1,
  valuesOf: (row) => [row.id, row.petId, row.status, row.createdAt.getTime(), row.createdBy ?? null],
  parse: ({ id, pet_id: petId, status, created_at: createdAt, created_by: createdBy }) => ({
    id: BigInt(id),
    petId: BigInt(petId),
    status,
    createdAt: new Date(Number(createdAt)),
    ...(createdBy !== null && { createdBy }),
  }),
};

/** The status of the order that a change of a pet calls for, if it calls for one. A new pet has no `before`. */
export function orderedStatus(before: NewPet | undefined, after: NewPet): OrderStatus | undefined {
  if (after.status === before?.status) return undefined;
  return orderStatuses.find((status) => status === after.status);
}

/** An order before it has an id. */
export type NewOrder = Omit<Order, 'id'>;

/** The order that a change of a pet calls for, if it calls for one. */
export function orderFor(
  petId: bigint,
  before: NewPet | undefined,
  after: NewPet,
  { createdAt, createdBy }: { createdAt: Date; createdBy?: string | undefined },
): NewOrder | undefined {
  const status = orderedStatus(before, after);
  if (!status) return undefined;
  return { petId, status, createdAt, ...(createdBy !== undefined && { createdBy }) };
}

/** The order as JSON, the same bytes from every store. */
export function renderOrder({ id, petId, status, createdAt, createdBy }: Order): string {
  const by = createdBy === undefined ? '' : `,"createdBy":${JSON.stringify(createdBy)}`;
  return `{"id":${id},"petId":${petId},"status":"${status}","createdAt":"${createdAt.toISOString()}"${by}}`;
}
