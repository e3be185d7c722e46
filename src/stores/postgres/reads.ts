import type { QueryResultRow } from 'pg';
import { int64Range } from '../../domain/int64.ts';
import { createBatcher } from '../batcher.ts';
import { isByTime, type OrderPageRequest, type Page, pageLimit, pageOf, type Sort } from '../store.ts';
import { limits, type Statement, type Value } from './session.ts';
import type { Sql } from './sessions.ts';

export interface ReadOptions<Lookup, Row, Result> {
  /** Takes an array for each value of a lookup. Returns at most one row per lookup, with its `place` from 1. */
  statement: Statement;
  valuesOf: (lookup: Lookup) => readonly Value[];
  /** Lookups with equal keys are equal. By default, the key is the lookup as text. */
  keyOf?: (lookup: Lookup) => string;
  resultOf: (row: Row | undefined, lookup: Lookup) => Result;
  /** How many rows of a table a lookup may read; 1 by default. */
  rowCountOf?: (lookup: Lookup) => number;
}

const maxRowsPerQuery = 1000;

/**
 * Reads by an index. All lookups that wait become one query, and equal ones share their result. A lookup joins only a
 * query that has not been sent, so the result is as fresh as that of its own query would be.
 */
export function createReads<Lookup, Row extends QueryResultRow, Result>(
  sql: Pick<Sql, 'read'>,
  { statement, valuesOf, keyOf = String, resultOf, rowCountOf = () => 1 }: ReadOptions<Lookup, Row, Result>,
): (lookup: Lookup) => Promise<Result> {
  interface Read {
    lookup: Lookup;
    key: string;
  }
  /** By key; undefined while a read is being added. */
  const waiting = new Map<string, Promise<Result> | undefined>();
  const leave = ({ key }: Read): void => void waiting.delete(key);

  const readAll = async (reads: Read[]): Promise<Result[]> => {
    reads.forEach(leave);
    const asked = reads.map(({ lookup }) => valuesOf(lookup));
    const arrays = asked[0]?.map((_, index) => asked.map((values) => values[index] ?? null));
    const rows = await sql.read<Row & { place: number }>(statement, arrays);
    const rowAt = new Map(rows.map((row) => [row.place, row]));
    return reads.map(({ lookup }, index) => resultOf(rowAt.get(index + 1), lookup));
  };

  const batches = createBatcher(readAll, {
    maxWaitMs: limits.queueMs,
    size: { of: ({ lookup }) => rowCountOf(lookup), maxPerBatch: maxRowsPerQuery },
    onRefused: leave,
  });

  return (lookup) => {
    const key = keyOf(lookup);
    const equal = waiting.get(key);
    if (equal) return equal;
    waiting.set(key, undefined);
    const result = batches.add({ lookup, key });
    // It may have been sent at once, or refused.
    if (waiting.has(key)) waiting.set(key, result);
    return result;
  };
}

/**
 * Lets identical waiting reads share one query. A caller joins only a query that has not started, so the result is as
 * fresh as its own would be. While one query runs, callers collect for the next one.
 */
export function createSharedRead<Result>(): (key: string, query: () => Promise<Result>) => Promise<Result> {
  /** For the key of each running query: the result that later callers wait for. */
  const nextByKey = new Map<string, PromiseWithResolvers<Result> | undefined>();

  const start = (key: string, query: () => Promise<Result>): Promise<Result> => {
    nextByKey.set(key, undefined);
    const running = query();
    running.then(
      () => {
        const next = nextByKey.get(key);
        if (next) start(key, query).then(next.resolve, next.reject);
        else nextByKey.delete(key);
      },
      (error: unknown) => {
        // The store does not respond: fail the later callers too, instead of letting them wait for it again.
        nextByKey.get(key)?.reject(error);
        nextByKey.delete(key);
      },
    );
    return running;
  };

  return (key, query) => {
    if (!nextByKey.has(key)) return start(key, query);
    const next = nextByKey.get(key) ?? Promise.withResolvers<Result>();
    nextByKey.set(key, next);
    return next.promise;
  };
}

/** Pages of pets have no `petId`, no `returned` and no times. */
type RowsRequest = Omit<OrderPageRequest, 'status'> & { status?: string };

interface PagedTable<Row> {
  table: string;
  /** The list of a SELECT, and the types of what it selects. */
  columns: string;
  types: Record<string, 'bigint' | 'text' | 'boolean'>;
  /** A further condition on the rows. It compares them with what requests ask for besides a status. */
  filter?: string;
  asked?: Record<string, { type: string; valueOf: (request: RowsRequest) => Value }>;
  render: (row: Row) => string;
}

export type PageReader = (request: RowsRequest) => Promise<Page>;

/** Reads pages of a table. Those of one shape that wait together become one query. */
export function createPageReader<Row extends { id: string }>(sql: Sql, paged: PagedTable<Row>): PageReader {
  const columns = Object.entries(paged.types);
  const readers = new Map<string, PageReader>();
  const readerOf = (index: Index, sort: Sort): PageReader => {
    const start = String(sort === 'newest' ? int64Range.largest : int64Range.smallest);
    const ownValues = Object.values(paged.asked ?? {});
    return createReads(sql, {
      statement: pagesStatement(paged, index, sort),
      valuesOf: (request: RowsRequest) => [
        ...[String(request.after ?? start), request.limit, request.status ?? null],
        ...ownValues.map(({ valueOf }) => valueOf(request)),
      ],
      keyOf: ({ limit, status, petId, returned, since, until, after }) =>
        `${limit} ${status} ${petId} ${returned} ${since} ${until} ${after}`,
      rowCountOf: ({ limit }) => limit + 1,
      resultOf: (page: JoinedPage | undefined, { limit }) =>
        pageOf(takeApart<Row>(columns, page), limit, paged.render),
    });
  };

  return (request) => {
    const { sort = 'oldest' } = request;
    const index = indexFor(request);
    const shape = `${index} ${sort}`;
    let read = readers.get(shape);
    if (!read) readers.set(shape, (read = readerOf(index, sort)));
    return read(request);
  };
}

type Index = keyof typeof shapes;

/** The index to use. A pet has few orders, and few orders are returned. */
function indexFor(request: RowsRequest): Index {
  const { status, petId, returned } = request;
  if (petId !== undefined) return 'pet';
  if (isByTime(request)) return 'time';
  if (returned) return 'returned';
  return status === undefined ? 'all' : 'status';
}

/** The cursor is an id; this is the time that belongs to it. */
const timeOfLast = 'SELECT last.created_at FROM orders AS last WHERE last.id = after';

/**
 * The bounds and the sort of a page's rows. `status = wanted_status ORDER BY id` would not do: the server may walk
 * through all rows to find enough with a rare status. Each of these matches only one index.
 */
const shapes = {
  all: {
    oldest: ['id > after', 'id'],
    newest: ['id < after', 'id DESC'],
  },
  returned: {
    oldest: ['returned_at IS NOT NULL AND id > after', 'id'],
    newest: ['returned_at IS NOT NULL AND id < after', 'id DESC'],
  },
  status: {
    oldest: ['(status, id) > (wanted_status, after) AND status <= wanted_status', 'status, id'],
    newest: ['(status, id) < (wanted_status, after) AND status >= wanted_status', 'status DESC, id DESC'],
  },
  pet: {
    oldest: ['(pet_id, id) > (wanted_pet, after) AND pet_id <= wanted_pet', 'pet_id, id'],
    newest: ['(pet_id, id) < (wanted_pet, after) AND pet_id >= wanted_pet', 'pet_id DESC, id DESC'],
  },
  time: {
    oldest: [
      `(created_at, id) > (coalesce((${timeOfLast}), since), after) AND created_at < until`,
      'created_at, id',
    ],
    newest: [
      `(created_at, id) < (coalesce((${timeOfLast}), until), after) AND created_at >= since`,
      'created_at DESC, id DESC',
    ],
  },
} as const;

/**
 * One row for each page, with its columns joined. The inner limit is a literal: without one, the server expects a tenth
 * of the table.
 */
function pagesStatement(
  { table, columns, types, filter = 'true', asked: own = {} }: PagedTable<never>,
  index: Index,
  sort: Sort,
): Statement {
  const [bounds, order] = shapes[index][sort];
  const joined = Object.entries(types).map(([column, type]) =>
    type === 'bigint'
      ? `string_agg(coalesce("${column}"::text, ''), ' ' ORDER BY ${order}) AS "${column}"`
      : `json_agg("${column}" ORDER BY ${order})::text AS "${column}"`,
  );
  const ownTypes = Object.values(own).map(({ type }) => type);
  const arrays = ['bigint', 'integer', 'text', ...ownTypes].map((type, place) => `$${place + 1}::${type}[]`);
  const asked = ['after', 'size', 'wanted_status', ...Object.keys(own), 'place'];
  return {
    name: `list-${table}-${index}-${sort}`,
    text: `
      SELECT place::integer, page.*
      FROM unnest(${arrays.join(', ')}) WITH ORDINALITY AS asked (${asked.join(', ')})
      CROSS JOIN LATERAL (
        SELECT ${joined.join(', ')} FROM (
          SELECT * FROM (
            SELECT ${columns} FROM ${table} WHERE ${bounds} AND ${filter} ORDER BY ${order} LIMIT ${pageLimit.largest + 1}
          ) AS longest ORDER BY ${order} LIMIT size + 1
        ) AS found
      ) AS page`,
  };
}

/** All columns are null if the page is empty. */
type JoinedPage = Record<string, string | null>;

function takeApart<Row>(columns: [name: string, type: string][], page: JoinedPage = {}): Row[] {
  const rows: Record<string, string | null>[] = [];
  for (const [name, type] of columns) {
    const joined = page[name] ?? undefined;
    if (joined === undefined) continue;
    const values = type === 'bigint' ? joined.split(' ').map((digits) => digits || null) : parseTexts(joined);
    values.forEach((value, index) => {
      (rows[index] ??= {})[name] = value;
    });
  }
  return rows as Row[];
}

/** Texts without escapes and nulls are what stands between quotes. `JSON.parse` takes five times as long. */
function parseTexts(json: string): (string | null)[] {
  if (/\\|null/.test(json)) return JSON.parse(json) as (string | null)[];
  return json.slice('["'.length, -'"]'.length).split('", "');
}
