import { PetstoreError } from './error.ts';
import { petFields } from './fields.ts';
import type { FieldValue, NewPet } from './pet.ts';
import type { ColumnValue } from './table.ts';

export const eventTypes = ['pet.created', 'pet.updated', 'pet.deleted', 'pets.imported'] as const;
export type EventType = (typeof eventTypes)[number];

/** The record of a change, written in the same commit. */
export interface NewEvent {
  type: EventType;
  /** Milliseconds since 1970. */
  createdAt: number;
  /** The name of the API key. */
  createdBy?: string | undefined;
  /** Absent for an import. */
  petId?: bigint;
  /** The pet as JSON; for an import, the count of its pets. */
  json: string;
  /** The old values of the fields that changed, as JSON. */
  previous?: string;
}

/** Integers are passed as text, which keeps every digit. */
export type EventRow = Record<'id' | 'created_at' | 'json', string> &
  Record<'created_by' | 'pet_id' | 'previous', string | null> & { type: EventType };

/** How both stores keep events. Ids have no gaps, because the newest event is never deleted. */
export const eventTable = {
  name: 'events',
  columns: {
    id: 'bigint',
    created_at: 'bigint',
    created_by: 'text',
    type: 'text',
    pet_id: 'bigint',
    json: 'text',
    previous: 'text',
  },
  /** Without an id, which the store assigns. */
  valuesOf: ({ createdAt, createdBy, type, petId, json, previous }: NewEvent): ColumnValue[] => [
    null,
    createdAt,
    createdBy ?? null,
    type,
    petId ?? null,
    json,
    previous ?? null,
  ],
} as const;

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
function renderEvent({ id, type, created_at, created_by, pet_id, json, previous }: EventRow): string {
  const time = new Date(Number(created_at)).toISOString();
  const by = created_by === null ? '' : `,"createdBy":${JSON.stringify(created_by)}`;
  const content = pet_id === null ? `"count":${json}` : `"petId":${pet_id},"pet":${json}`;
  const before = previous === null ? '' : `,"previous":${previous}`;
  return `{"id":${id},"type":"${type}","createdAt":"${time}"${by},${content}${before}}`;
}

/** A position in the log, directly after the event with this id. */
export interface EventPosition {
  /** Identifies the log. A restore, a copy or a reset starts another one. */
  epoch: string;
  id: bigint;
}

export interface EventRequest {
  /** By default, the page starts at the oldest event in the log; `now` starts after the newest one. */
  after?: EventPosition | 'now';
  limit: number;
  petId?: bigint;
  type?: EventType;
}

export interface EventPage {
  /** A JSON array. */
  json: string;
  /** The position after the last event that was read, even if a filter left that event out. */
  next: EventPosition;
  /** True if the page is empty and the log ends here. Where a filter stopped the read, more may follow. */
  isEnd: boolean;
}

/** The most events that one filtered page reads, because the filters have no index. */
export const maxEventsRead = 1000;

/** A row of a page with the bounds of the log. An empty page is one row without an event. */
export type LogRow = { [Column in keyof EventRow]: EventRow[Column] | null } & {
  epoch: string;
  oldest: string | null;
  newest: string | null;
};

/** Expects at most `limit` rows, sorted by id, out of the {@link maxEventsRead} events after the position. */
export function eventPageOf(rows: readonly LogRow[], { after, limit }: EventRequest): EventPage {
  const [first] = rows;
  if (!first) throw new Error('The log of events has no epoch.');
  const { epoch } = first;
  const newest = BigInt(first.newest ?? 0);
  const oldest = BigInt(first.oldest ?? 1);
  if (after === 'now') return { json: '[]', next: { epoch, id: newest }, isEnd: true };
  const start = after?.id ?? oldest - 1n;
  if ((after && after.epoch !== epoch) || start > newest || start < oldest - 1n) throw eventsGone();
  const events = rows.filter((row): row is LogRow & EventRow => row.id !== null);
  const readUpTo = start + BigInt(maxEventsRead);
  const last = events.length === limit ? events.at(-1) : undefined;
  const id = last ? BigInt(last.id) : readUpTo < newest ? readUpTo : newest;
  const json = `[${events.map(renderEvent).join(',')}]`;
  return { json, next: { epoch, id }, isEnd: events.length === 0 && id === newest };
}

function eventsGone(): PetstoreError {
  return new PetstoreError(
    'events_gone',
    'The events behind this cursor are no longer kept, or belong to a store that was replaced. ' +
      'List the pets again, then follow the events from there.',
  );
}
