import type { Database } from 'bun:sqlite';
import { refusalError } from '../../domain/change.ts';
import { int64Range } from '../../domain/int64.ts';
import { startOfPet } from '../../domain/pet.ts';
import {
  anyTime,
  type EventStore,
  isByTime,
  isScan,
  maxEventsRead,
  type OrderPageRequest,
  type OrderStore,
  type Page,
  pageOf,
  type PetStore,
  type SearchRequest,
  type Sort,
} from '../store.ts';
import { type ColumnValue, eventPageOf, eventTable, type LogRow } from '../tables.ts';
import type { Freshness } from './freshness.ts';
import {
  checksumOf,
  damagedRow,
  type RenderedPet,
  selectColumns,
  selectStoredPet,
  storedCategories,
  storedOrders,
  storedPetColumns,
  verifiedPet,
} from './rows.ts';
import type { Searcher } from './search.ts';
import type { Writer } from './writer.ts';

/** What the parts of an open store share. */
export interface StoreParts {
  database: Database;
  writer: Writer;
  searcher: Searcher;
  freshness: Freshness;
  now: () => number;
}

export function createPetStore({ database, writer, searcher, freshness, now }: StoreParts): PetStore {
  const selectJoined = database.query<JoinedPets, [bigint, number]>(selectJoinedPets);
  const selectPet = database.query<RenderedPet, [bigint]>(
    `SELECT ${storedPetColumns} FROM pets WHERE id = ?1`,
  );

  return {
    version: freshness.version,

    listPets(request) {
      return freshness.read(() => {
        // Ids start at 1, so 0 means from the start.
        const { limit, status, after = 0n } = request;
        const joined = status === undefined ? selectJoined.get(after, limit) : null;
        const page = joined && verifiedPage(joined, { after, limit });
        // Read pet by pet if a joined page is not possible, because of gaps between ids, a last page or a filter. This
        // also names a damaged pet.
        return page ?? findPets(database, { sort: 'oldest', ...request });
      });
    },

    getPet(id) {
      return freshness.read(() => {
        const pet = selectPet.get(id);
        return pet ? verifiedPet(pet, id) : undefined;
      });
    },

    listCategories(request) {
      return freshness.read(() => readPage(database, storedCategories, [], request));
    },

    async apply(change) {
      const outcome = await writer.apply({ ...change, at: now() });
      const target = change.kind.endsWith('category') ? 'a category' : 'a pet';
      if (outcome === 'damaged') throw damagedRow(target, 'id' in change ? startOfPet(change.id) : '');
      if (typeof outcome === 'string') throw refusalError(outcome, change);
      return outcome;
    },

    searchPets(request, signal) {
      if (isScan(request)) return searcher.search(request, signal);
      return freshness.read(() => findPets(database, request));
    },

    areWritesFailing: writer.areFailing,
  };
}

/** A page that SQLite has joined. */
export interface JoinedPets {
  /** The JSON array of its pets. */
  json: string | null;
  /** The sum of their checksums, each times its pet's position in the order of ids. */
  checksums: number;
  hasMore: 0 | 1;
}

/**
 * Joins the pets with the `?2` ids after `?1`, which is a full page unless ids have gaps there. One text then crosses
 * into JavaScript instead of one per pet. Unlike `sum`, `total` does not fail if damaged numbers overflow. SQLite may
 * join in any order; an ORDER BY costs more than comparing the positions does.
 */
export const selectJoinedPets = `
  SELECT '[' || group_concat(json) || ']' AS json, total(checksum * (id - ?1)) AS checksums,
    (SELECT max(id) FROM pets) > ?1 + ?2 AS hasMore
  FROM pets WHERE id > ?1 AND id <= ?1 + ?2`;

/** Occurs only between two joined pets, because a quote within a name is escaped. */
const boundary = ',{"id":';

/** The page, unless it has fewer pets than its limit, another order or a wrong checksum. */
export function verifiedPage(
  { json, checksums, hasMore }: JoinedPets,
  { after, limit }: { after: bigint; limit: number },
): Page | undefined {
  if (json === null) return undefined;
  let found = 1;
  let sum = 0;
  let start = '['.length;
  for (let end = json.indexOf(boundary); end !== -1; end = json.indexOf(boundary, start)) {
    sum += found * checksumOf(json.slice(start, end));
    start = end + ','.length;
    found += 1;
  }
  sum += found * checksumOf(json.slice(start, -']'.length));
  if (found !== limit || sum !== checksums) return undefined;
  return hasMore ? { json, next: after + BigInt(limit) } : { json };
}

/** Finds pets. A search by name or category may have to read all pets. */
export function findPets(database: Database, request: SearchRequest): Page {
  const { words = [], id, categoryId, status, sort = 'newest' } = request;
  const conditions = [
    ...given('id = ?', id),
    ...given('status = ?', status),
    ...given('category_id = ?', categoryId),
    ...words.map((word) => ['instr(folded_name, ?) > 0', word] as const),
  ];
  return readPage(database, petTable, conditions, { ...request, sort });
}

const petTable = {
  name: 'pets',
  selected: selectStoredPet,
  jsonOf: (row: RenderedPet & { id: string }) => verifiedPet(row, row.id),
};

/** A condition with its values. */
type Condition = readonly [sql: string, ...values: ColumnValue[]];

function given(sql: string, value: ColumnValue | undefined): Condition[] {
  return value === undefined ? [] : [[sql, value]];
}

interface PagedTable<Row> {
  name: string;
  selected: string;
  jsonOf: (row: Row) => string;
  /** Sorts by its column before the id. The conditions then say where the page begins. */
  index?: { name: string; column: string };
}

function readPage<Row extends { id: string }>(
  database: Database,
  { name, selected, jsonOf, index }: PagedTable<Row>,
  conditions: readonly Condition[],
  { limit, sort, after }: { limit: number; sort?: Sort; after?: bigint },
): Page {
  const isNewest = sort === 'newest';
  const all = index ? conditions : [...conditions, ...given(isNewest ? 'id < ?' : 'id > ?', after)];
  const where = all.length > 0 ? `WHERE ${all.map(([text]) => text).join(' AND ')}` : '';
  const from = index ? `${name} INDEXED BY ${index.name}` : name;
  const order = [...(index ? [index.column] : []), 'id'].map(
    (column) => `${name}.${column}${isNewest ? ' DESC' : ''}`,
  );
  // The plus matters: SQLite plans a query again for each value of a bare parameter in LIMIT.
  const select = `SELECT ${selected} FROM ${from} ${where} ORDER BY ${order.join(', ')} LIMIT +?`;
  const values = all.flatMap(([, ...each]) => each);
  return pageOf(database.query<Row, ColumnValue[]>(select).all(...values, limit + 1), limit, jsonOf);
}

export function createOrderStore({ database, freshness }: StoreParts): OrderStore {
  return {
    listOrders(request) {
      const { petId, status, returned } = request;
      const conditions = [
        ...given('pet_id = ?', petId),
        ...given('status = ?', status),
        // A literal condition, so that SQLite uses the partial index of returned orders.
        ...(returned === undefined ? [] : [[`returned_at IS ${returned ? 'NOT ' : ''}NULL`] as const]),
        ...(isByTime(request) ? timeBounds(request) : timeFilters(request)),
      ];
      const table = isByTime(request) ? ordersByTime : storedOrders;
      return freshness.read(() => readPage(database, table, conditions, request));
    },
  };
}

const ordersByTime = { ...storedOrders, index: { name: 'orders_by_time', column: 'created_at' } };

/** The cursor is an id; the time that belongs to it is read with the page. */
function timeBounds({
  sort,
  since = anyTime.since,
  until = anyTime.until,
  after,
}: OrderPageRequest): Condition[] {
  const start = (sign: string, time: number, id: bigint): Condition => [
    `(created_at, id) ${sign} (coalesce((SELECT created_at FROM orders WHERE id = ?), ?), ?)`,
    ...[id, time, id],
  ];
  return sort === 'newest'
    ? [start('<', until - 1, after ?? int64Range.largest), ['created_at >= ?', since]]
    : [start('>', since, after ?? 0n), ['created_at < ?', until]];
}

/** The plus keeps SQLite from using the index by time. */
function timeFilters({ since, until }: OrderPageRequest): Condition[] {
  return [...given('+created_at >= ?', since), ...given('+created_at < ?', until)];
}

/** Reads the bounds of the log together with the events, so that both come from one snapshot. */
const selectEvents = `
  SELECT epoch, found.*,
    (SELECT CAST(min(id) AS TEXT) FROM events) AS oldest, (SELECT CAST(max(id) AS TEXT) FROM events) AS newest
  FROM event_log LEFT JOIN (
    SELECT ${selectColumns(eventTable)}, events.id AS place FROM (
      SELECT coalesce(?1, (SELECT min(id) FROM events) - 1) AS start
    ) JOIN events ON events.id > start AND events.id <= start + ${maxEventsRead}
    WHERE (?2 IS NULL OR pet_id = ?2) AND (?3 IS NULL OR type = ?3) ORDER BY events.id LIMIT ?4
  ) AS found ON true ORDER BY place`;

export function createEventStore({ database, freshness }: StoreParts): EventStore {
  const select = database.query<LogRow, ColumnValue[]>(selectEvents);
  return {
    // Short, because reading the end of the log takes microseconds.
    checkEveryMs: 50,

    listEvents(request) {
      const { after, petId = null, type = null } = request;
      const start = after === undefined || after === 'now' ? null : after.id;
      const limit = after === 'now' ? 0 : request.limit;
      return freshness.read(() => eventPageOf(select.all(start, petId, type, limit), request));
    },
  };
}
