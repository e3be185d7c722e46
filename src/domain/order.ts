import type { NewPet } from './pet.ts';

export const orderStatuses = ['pending', 'sold'] as const;
export type OrderStatus = (typeof orderStatuses)[number];

/** Records that a pet became pending or sold. It outlives the pet. */
export interface Order {
  id: bigint;
  petId: bigint;
  status: OrderStatus;
  createdAt: Date;
  /** The name of the API key; absent on orders older than this field. */
  createdBy?: string;
  /** The pet as sold; both are absent on orders from before 2.0.0. */
  name?: string;
  categoryId?: bigint;
  /** When the pet was returned; absent if it was not. */
  returnedAt?: Date;
  /** The name of the API key that returned it. */
  returnedBy?: string;
}

/** An order before it has an id. */
export type NewOrder = Omit<Order, 'id'>;

/** The order that this change of a pet requires, if any. A new pet has no `before`. */
export function orderFor(
  petId: bigint,
  before: NewPet | undefined,
  after: NewPet,
  { at, by }: { at: number; by?: string | undefined },
): NewOrder | undefined {
  const status = orderStatuses.find((each) => each === after.status);
  if (!status || status === before?.status) return undefined;
  const { name, categoryId } = after;
  return {
    petId,
    name,
    categoryId,
    status,
    createdAt: new Date(at),
    ...(by !== undefined && { createdBy: by }),
  };
}

/** What a return adds to each open order of the pet. */
export type OrderReturn = Required<Pick<Order, 'returnedAt'>> & Pick<Order, 'returnedBy'>;

/** Whether a change undoes a sale or a reservation. Selling a reserved pet is not a return. */
export function isReturn(before: NewPet, after: NewPet): boolean {
  if (before.status === 'sold') return after.status !== 'sold';
  return before.status === 'pending' && (after.status ?? 'available') === 'available';
}

/** The order as JSON. Every store must produce the same bytes. */
export function renderOrder({ id, petId, ...others }: Order): string {
  const { name, categoryId, status, createdAt, createdBy, returnedAt, returnedBy } = others;
  const pet = name === undefined ? '' : `"name":${JSON.stringify(name)},"categoryId":${categoryId},`;
  const rest = JSON.stringify({ status, createdAt, createdBy, returnedAt, returnedBy });
  return `{"id":${id},"petId":${petId},${pet}${rest.slice(1)}`;
}
