import { PetstoreError } from './error.ts';
import { type FieldValue, type NewPet, petFields } from './pet.ts';

/** What a change records in its commit: an event, and perhaps an order. */

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

export const eventTypes = [
  'pet.created',
  'pet.updated',
  'pet.deleted',
  'category.updated',
  'category.deleted',
] as const;
export type EventType = (typeof eventTypes)[number];

/** The record of a change, written in the same commit. */
export interface NewEvent {
  type: EventType;
  /** Milliseconds since 1970. */
  createdAt: number;
  /** The name of the API key. */
  createdBy?: string | undefined;
  /** Only events of a pet have it. */
  petId?: bigint;
  /** The pet or the category as JSON. */
  json: string;
  /** The old values of the fields that changed, as JSON. */
  previous?: string;
}

export interface StoredEvent extends NewEvent {
  id: bigint;
}

/** How long events and idempotency keys are kept. */
export const retentionMs = 7 * 24 * 60 * 60 * 1000;

export function petEvent(
  type: 'pet.created' | 'pet.updated' | 'pet.deleted',
  { id, json }: { id: bigint; json: string },
  { at, by }: { at: number; by?: string | undefined },
): NewEvent {
  return { type, createdAt: at, createdBy: by, petId: id, json };
}

/** The old values of the fields that an update changed, as JSON; undefined if it changed none. */
export function previousValues(before: NewPet, after: NewPet): string | undefined {
  const values = petFields
    .filter(({ name }) => before[name] !== after[name])
    .map(({ name }) => {
      const value: FieldValue | null = before[name] ?? null;
      return `"${name}":${typeof value === 'bigint' ? value : JSON.stringify(value)}`;
    });
  return values.length === 0 ? undefined : `{${values.join(',')}}`;
}

/** The event as JSON. Every store must produce the same bytes. */
export function renderEvent(event: StoredEvent): string {
  const { id, type, createdAt, createdBy, previous } = event;
  const time = new Date(createdAt).toISOString();
  const by = createdBy === undefined ? '' : `,"createdBy":${JSON.stringify(createdBy)}`;
  const before = previous === undefined ? '' : `,"previous":${previous}`;
  return `{"id":${id},"type":"${type}","createdAt":"${time}"${by},${contentOf(event)}${before}}`;
}

/** The type decides what an event is about. */
function contentOf({ type, petId, json }: StoredEvent): string {
  return type.startsWith('category.') ? `"category":${json}` : `"petId":${petId},"pet":${json}`;
}

export function eventsGone(): PetstoreError {
  return new PetstoreError(
    'events_gone',
    'The events behind this cursor are no longer kept, or belong to a store that was replaced. ' +
      'List the pets again, then follow the events from there.',
  );
}
