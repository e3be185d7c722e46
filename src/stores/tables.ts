import type { ApiKey } from '../domain/api-key.ts';
import type { Category } from '../domain/category.ts';
import type { ImportState } from './bulk.ts';
import {
  eventsGone,
  type EventType,
  type NewEvent,
  type Order,
  type OrderStatus,
  renderEvent,
  type StoredEvent,
} from '../domain/history.ts';
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

/** An object with this time as its only field, or an empty one for null. */
export function timeField<Name extends string>(name: Name, ms: string | null): { [Key in Name]?: Date } {
  return ms === null ? {} : ({ [name]: new Date(Number(ms)) } as { [Key in Name]: Date });
}

export type OrderRow = Record<'id' | 'pet_id' | 'created_at', string> &
  Record<'created_by' | 'returned_at' | 'returned_by' | 'name' | 'category_id', string | null> & {
    status: OrderStatus;
  };

export const orderTable: TableForm<Order, OrderRow> = {
  name: 'orders',
  columns: {
    id: 'bigint',
    pet_id: 'bigint',
    status: 'text',
    created_at: 'bigint',
    created_by: 'text',
    returned_at: 'bigint',
    returned_by: 'text',
    name: 'text',
    category_id: 'bigint',
  },
  keyLength: 1,
  valuesOf: ({ id, petId, status, createdAt, createdBy, returnedAt, returnedBy, name, categoryId }) => [
    ...[id, petId, status, createdAt.getTime(), createdBy ?? null],
    ...[toMs(returnedAt), returnedBy ?? null, name ?? null, categoryId ?? null],
  ],
  parse: (row) => ({
    id: BigInt(row.id),
    petId: BigInt(row.pet_id),
    status: row.status,
    createdAt: new Date(Number(row.created_at)),
    ...(row.created_by !== null && { createdBy: row.created_by }),
    ...timeField('returnedAt', row.returned_at),
    ...(row.returned_by !== null && { returnedBy: row.returned_by }),
    ...(row.name !== null && { name: row.name }),
    ...(row.category_id !== null && { categoryId: BigInt(row.category_id) }),
  }),
};

export type CategoryRow = Record<'id' | 'name', string>;

export const categoryTable: TableForm<Category, CategoryRow> = {
  name: 'categories',
  columns: { id: 'bigint', name: 'text' },
  keyLength: 1,
  valuesOf: ({ id, name }) => [id, name],
  parse: ({ id, name }) => ({ id: BigInt(id), name }),
};

export type IdempotencyRow = Record<'caller' | 'key' | 'request_hash' | 'pet_id' | 'created_at', string>;

export const idempotencyTable: TableForm<IdempotencyRecord, IdempotencyRow> = {
  name: 'idempotency_keys',
  columns: { created_at: 'bigint', pet_id: 'bigint', caller: 'text', key: 'text', request_hash: 'text' },
  keyLength: 2,
  valuesOf: (row) => [row.createdAt.getTime(), row.petId, row.caller, row.key, row.requestHash],
  parse: ({ caller, key, request_hash: requestHash, pet_id: petId, created_at: createdAt }) => ({
    caller,
    key,
    requestHash,
    petId: BigInt(petId),
    createdAt: new Date(Number(createdAt)),
  }),
};

export type KeyRow = Record<'id' | 'name' | 'hash' | 'last_four' | 'created_at', string> &
  Record<'replaced_by' | 'expires_at' | 'revoked_at' | 'last_used_at', string | null> & {
    /** Numbers in SQLite. */
    read_only: boolean | number;
    no_delete: boolean | number;
  };

export const keyTable: TableForm<ApiKey, KeyRow> = {
  name: 'api_keys',
  columns: {
    id: 'bigint',
    name: 'text',
    hash: 'text',
    last_four: 'text',
    read_only: 'boolean',
    no_delete: 'boolean',
    replaced_by: 'bigint',
    created_at: 'bigint',
    expires_at: 'bigint',
    revoked_at: 'bigint',
    last_used_at: 'bigint',
  },
  keyLength: 1,
  valuesOf: ({ id, name, hash: keyHash, lastFour, isReadOnly, mayDelete, replacedBy = null, ...times }) => [
    ...[id, name, keyHash, lastFour, isReadOnly, !mayDelete, replacedBy],
    ...[times.createdAt, times.expiresAt, times.revokedAt, times.lastUsedAt].map(toMs),
  ],
  parse: (row) => ({
    id: row.id,
    name: row.name,
    hash: row.hash,
    lastFour: row.last_four,
    isReadOnly: Boolean(row.read_only),
    mayDelete: !row.read_only && !row.no_delete,
    createdAt: new Date(Number(row.created_at)),
    ...timeField('expiresAt', row.expires_at),
    ...timeField('revokedAt', row.revoked_at),
    ...(row.replaced_by !== null && { replacedBy: row.replaced_by }),
    ...timeField('lastUsedAt', row.last_used_at),
  }),
};

export type ImportRow = Record<'source' | 'added_count', string> & { finished_at: string | null };

export const importTable: TableForm<ImportState, ImportRow> = {
  name: 'imports',
  columns: { source: 'text', added_count: 'bigint', finished_at: 'bigint' },
  keyLength: 1,
  valuesOf: ({ source, addedCount, finishedAt }) => [source, addedCount, toMs(finishedAt)],
  parse: ({ source, added_count: addedCount, finished_at: finishedAt }) => ({
    source,
    addedCount: Number(addedCount),
    ...timeField('finishedAt', finishedAt),
  }),
};

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

function eventOf(row: EventRow): StoredEvent {
  return {
    id: BigInt(row.id),
    type: row.type,
    createdAt: Number(row.created_at),
    json: row.json,
    ...(row.created_by !== null && { createdBy: row.created_by }),
    ...(row.pet_id !== null && { petId: BigInt(row.pet_id) }),
    ...(row.previous !== null && { previous: row.previous }),
  };
}

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
  const events = rows.filter((row): row is LogRow & EventRow => row.id !== null).map(eventOf);
  const readUpTo = start + BigInt(maxEventsRead);
  const last = events.length === limit ? events.at(-1) : undefined;
  const id = last ? last.id : readUpTo < newest ? readUpTo : newest;
  const json = `[${events.map(renderEvent).join(',')}]`;
  return { json, next: { epoch, id }, isEnd: events.length === 0 && id === newest };
}
