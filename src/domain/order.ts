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

/** The status of the order that a change of a pet calls for, if it calls for one. A new pet has no `before`. */
export function orderedStatus(before: NewPet | undefined, after: NewPet): OrderStatus | undefined {
  if (after.status === before?.status) return undefined;
  return orderStatuses.find((status) => status === after.status);
}

/** The order as JSON, the same bytes from every store. */
export function renderOrder({ id, petId, status, createdAt, createdBy }: Order): string {
  const by = createdBy === undefined ? '' : `,"createdBy":${JSON.stringify(createdBy)}`;
  return `{"id":${id},"petId":${petId},"status":"${status}","createdAt":"${createdAt.toISOString()}"${by}}`;
}
