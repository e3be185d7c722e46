import { PetstoreError } from './error.ts';
import { type FieldValue, type NewPet, petFields } from './pet.ts';

export const eventTypes = [
  'pet.created',
  'pet.updated',
  'pet.deleted',
  'pets.imported',
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
  /** The pet or the category as JSON; for an import, the count of its pets. */
  json: string;
  /** The old values of the fields that changed, as JSON. */
  previous?: string;
}

export interface StoredEvent extends NewEvent {
  id: bigint;
}

/** The minimum time for which an event is kept. */
export const eventRetentionMs = 7 * 24 * 60 * 60 * 1000;

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

export function importEvent(count: number, now: number): NewEvent {
  return { type: 'pets.imported', createdAt: now, json: String(count) };
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
  if (type === 'pets.imported') return `"count":${json}`;
  return type.startsWith('category.') ? `"category":${json}` : `"petId":${petId},"pet":${json}`;
}

export function eventsGone(): PetstoreError {
  return new PetstoreError(
    'events_gone',
    'The events behind this cursor are no longer kept, or belong to a store that was replaced. ' +
      'List the pets again, then follow the events from there.',
  );
}
