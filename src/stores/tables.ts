import type { ApiKey } from '../domain/api-key.ts';
import type { Category } from '../domain/category.ts';
import { eventsGone, type NewEvent, type Order, renderEvent, type StoredEvent } from '../domain/history.ts';
import type { IdempotencyRecord } from '../domain/change.ts';
import { maxEventsRead, type EventPage, type EventRequest } from './store.ts';

export type ColumnValue = string | number | bigint | boolean | null;

/** How both stores keep one kind of row. Times are milliseconds since 1970. */
export interface TableForm<Row, Stored> {
  name: string;
  columns: Record<string, 'bigint' | 'text' | 'boolean'>;
  /** How many leading columns sort the rows; no two rows agree in all of them. */
  keyLength: 1 | 2;
  /** In the order of the columns. */
  valuesOf: (row: Row) => ColumnValue[];
  /** Integers are passed as text, which keeps every digit. */
  parse: (stored: Stored) => Row;
}

export function columnsOf({ columns }: Pick<TableForm<never, never>, 'columns'>): string[] {
  return Object.keys(columns);
}

/** For a column that may be null. */
export function toMs(time: Date | undefined): number | null {
  return time?.getTime() ?? null;
}

/** `category_id` for `categoryId`. */
export function columnOf(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** How a field is kept. */
const kinds = {
  id: { type: 'bigint', parse: BigInt },
  digits: { type: 'bigint', parse: String },
  count: { type: 'bigint', parse: Number },
  time: { type: 'bigint', parse: (ms: StoredValue) => new Date(Number(ms)) },
  text: { type: 'text', parse: String },
  // A number in SQLite.
  flag: { type: 'boolean', parse: Boolean },
} as const;

type StoredValue = string | number | boolean;
/** A row as a store reads it. Columns of absent fields are null. */
type StoredRow<Text extends string = never> = Record<string, StoredValue | null> & Record<Text, string>;

/** A table with one column for each field, in this order. */
function tableForm<Row extends object, Stored extends StoredRow>(
  name: string,
  keyLength: 1 | 2,
  fields: Record<keyof Row & string, keyof typeof kinds>,
): TableForm<Row, Stored> {
  const kept = (Object.keys(fields) as (keyof Row & string)[]).map((field) => ({
    field,
    column: columnOf(field),
    kind: kinds[fields[field]],
  }));
  return {
    name,
    columns: Object.fromEntries(kept.map(({ column, kind }) => [column, kind.type])),
    keyLength,
    valuesOf: (row) =>
      kept.map(({ field }) => {
        const value = row[field] as ColumnValue | Date | undefined;
        return typeof value === 'object' && value !== null ? value.getTime() : (value ?? null);
      }),
    parse(stored) {
      const row: Record<string, unknown> = {};
      for (const { field, column, kind } of kept) {
        const value = stored[column] ?? undefined;
        if (value !== undefined) row[field] = kind.parse(value);
      }
      return row as Row;
    },
  };
}

export type OrderRow = StoredRow<'id'>;
export const orderTable = tableForm<Order, OrderRow>('orders', 1, {
  id: 'id',
  petId: 'id',
  status: 'text',
  createdAt: 'time',
  createdBy: 'text',
  returnedAt: 'time',
  returnedBy: 'text',
  name: 'text',
  categoryId: 'id',
});

export type CategoryRow = StoredRow<'id'>;
export const categoryTable = tableForm<Category, CategoryRow>('categories', 1, { id: 'id', name: 'text' });

export type IdempotencyRow = StoredRow;
export const idempotencyTable = tableForm<IdempotencyRecord, IdempotencyRow>('idempotency_keys', 2, {
  createdAt: 'time',
  petId: 'id',
  caller: 'text',
  key: 'text',
  requestHash: 'text',
});

export type KeyRow = StoredRow;
type StoredKey = Omit<ApiKey, 'isReadOnly' | 'mayDelete'> & { readOnly: boolean; noDelete: boolean };
const storedKeys = tableForm<StoredKey, KeyRow>('api_keys', 1, {
  id: 'digits',
  name: 'text',
  hash: 'text',
  lastFour: 'text',
  readOnly: 'flag',
  noDelete: 'flag',
  createdAt: 'time',
  expiresAt: 'time',
  revokedAt: 'time',
  lastUsedAt: 'time',
});
export const keyTable: TableForm<ApiKey, KeyRow> = {
  ...storedKeys,
  valuesOf: ({ isReadOnly, mayDelete, ...key }) =>
    storedKeys.valuesOf({ ...key, readOnly: isReadOnly, noDelete: !mayDelete }),
  parse(row) {
    const { readOnly, noDelete, ...key } = storedKeys.parse(row);
    return { ...key, isReadOnly: readOnly, mayDelete: !readOnly && !noDelete };
  },
};

/** Ids have no gaps, because the newest event is never deleted. The store assigns the id of a new one. */
export const eventTable = tableForm<NewEvent & { id?: bigint }, StoredRow>('events', 1, {
  id: 'id',
  createdAt: 'count',
  createdBy: 'text',
  type: 'text',
  petId: 'id',
  json: 'text',
  previous: 'text',
});

/** A row of a page with the bounds of the log. An empty page is one row without an event. */
export type LogRow = StoredRow<'epoch'> & Record<'id' | 'oldest' | 'newest', string | null>;

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
  const events = rows.filter(({ id }) => id !== null).map((row) => eventTable.parse(row) as StoredEvent);
  const readUpTo = start + BigInt(maxEventsRead);
  const last = events.length === limit ? events.at(-1) : undefined;
  const id = last ? last.id : readUpTo < newest ? readUpTo : newest;
  const json = `[${events.map(renderEvent).join(',')}]`;
  return { json, next: { epoch, id }, isEnd: events.length === 0 && id === newest };
}
