import { PetstoreError } from './error.ts';
import { parseRendered } from './int64.ts';
import { type FieldValue, type NewPet, petFields, type PetStatus } from './pet.ts';

/** What a change records in its commit: an event, and perhaps an order. */

export const orderStatuses = ['pending', 'sold'] as const;
export type OrderStatus = (typeof orderStatuses)[number];

/** Records that a pet became pending or sold. It outlives the pet. */
export interface Order {
  id: bigint;
  petId: bigint;
  status: OrderStatus;
  createdAt: Date;
  /** The name of the API key. */
  createdBy?: string;
  /** Of the pet as sold. */
  name: string;
  categoryId: bigint;
  /** When the pet was returned; absent if it was not. */
  returnedAt?: Date;
  /** The name of the API key that returned it. */
  returnedBy?: string;
}

/** The order that a change of a pet requires, without its id. A new pet has no `before`. */
export function decideOrder(
  petId: bigint,
  before: NewPet | undefined,
  after: NewPet,
  { at, by }: Cause,
): Omit<Order, 'id'> | undefined {
  const status = orderStatusOf(after.status);
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

/** The status as that of an order; undefined if this status does not require an order. */
export function orderStatusOf(status: PetStatus | null | undefined): OrderStatus | undefined {
  return orderStatuses.find((each) => each === status);
}

/** What a return adds to each open order of the pet. */
export type OrderReturn = Required<Pick<Order, 'returnedAt'>> & Pick<Order, 'returnedBy'>;

/** Whether a change undoes a sale or a reservation. Selling a reserved pet is not a return. */
export function isReturn(before: NewPet, after: NewPet): boolean {
  if (before.status === 'sold') return after.status !== 'sold';
  return before.status === 'pending' && (after.status ?? 'available') === 'available';
}

/** The order as JSON: what is stored and what callers get. What a return adds comes last: see {@link renderReturn}. */
export function renderOrder({ id, petId, ...others }: Order): string {
  const { name, categoryId, status, createdAt, createdBy, returnedAt, returnedBy } = others;
  const rest = JSON.stringify({ status, createdAt, createdBy, returnedAt, returnedBy });
  return `{"id":${id},"petId":${petId},"name":${JSON.stringify(name)},"categoryId":${categoryId},${rest.slice(1)}`;
}

interface RenderedOrder extends Omit<Order, 'createdAt' | 'returnedAt'> {
  createdAt: string;
  returnedAt?: string;
}

/** The order that {@link renderOrder} has rendered. */
export function readOrder(json: string): Order {
  const { createdAt, returnedAt, ...order } = parseRendered(json) as RenderedOrder;
  return {
    ...order,
    createdAt: new Date(createdAt),
    ...(returnedAt && { returnedAt: new Date(returnedAt) }),
  };
}

/** What replaces the closing brace of an order when its pet is returned. */
export function renderReturn({ returnedAt, returnedBy }: OrderReturn): string {
  return `,${JSON.stringify({ returnedAt, returnedBy }).slice(1)}`;
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
  /** Only events of a pet have it. */
  petId?: bigint | undefined;
  /** What callers get, without the id, which follows the order of the commits: a page puts `{"id":N,` before it. */
  json: string;
}

/** How long events and idempotency keys are kept. */
export const retentionMs = 7 * 24 * 60 * 60 * 1000;

/** The pet is as after the change, or as it was before its delete. `previous` are the old values that changed, as JSON. */
export function createPetEvent(
  type: 'pet.created' | 'pet.updated' | 'pet.deleted',
  { id, json }: { id: bigint; json: string },
  change: Cause,
  previous?: string,
): NewEvent {
  const before = previous === undefined ? '' : `,"previous":${previous}`;
  return createEvent(type, change, `"petId":${id},"pet":${json}${before}`, id);
}

export function createCategoryEvent(
  type: 'category.updated' | 'category.deleted',
  json: string,
  change: Cause,
): NewEvent {
  return createEvent(type, change, `"category":${json}`);
}

interface RenderedEvent extends Omit<NewEvent, 'createdAt' | 'json'> {
  createdAt: string;
}

/** The event whose JSON this is. */
export function readEvent(json: string): NewEvent {
  const { type, createdAt, petId } = parseRendered(json) as RenderedEvent;
  return { type, createdAt: Date.parse(createdAt), ...(petId !== undefined && { petId }), json };
}

/** When a change arrived, in milliseconds since 1970, and the name of its API key. */
interface Cause {
  at: number;
  by?: string | undefined;
}

function createEvent(type: EventType, { at, by }: Cause, content: string, petId?: bigint): NewEvent {
  const time = new Date(at).toISOString();
  const createdBy = by === undefined ? '' : `,"createdBy":${JSON.stringify(by)}`;
  const json = `{"type":"${type}","createdAt":"${time}"${createdBy},${content}}`;
  return { type, createdAt: at, petId, json };
}

/** The old values of the fields that an update changed, as JSON; undefined if it changed none. */
export function renderPreviousValues(before: NewPet, after: NewPet): string | undefined {
  const values = petFields
    .filter(({ name }) => before[name] !== after[name])
    .map(({ name }) => {
      const value: FieldValue | null = before[name] ?? null;
      return `"${name}":${typeof value === 'bigint' ? value : JSON.stringify(value)}`;
    });
  return values.length === 0 ? undefined : `{${values.join(',')}}`;
}

export function eventsGone(): PetstoreError {
  return new PetstoreError(
    'events_gone',
    'The events behind this cursor are no longer kept, or belong to a store that was replaced. ' +
      'List the pets again, then follow the events from there.',
  );
}
