import { type OrderPageRequest, type Page, pageLimit, pageOf, type Sort } from '../../store.ts';
import { int64Range } from '../../../domain/int64.ts';
import { createReads } from '../reads.ts';
import type { Statement } from '../session.ts';
import type { Sql } from '../sessions.ts';

/** Pages of pets have no `petId` and no `returned`. */
type RowsRequest = Omit<OrderPageRequest, 'status'> & { status?: string };

interface PagedTable<Row> {
  table: string;
  /** The list of a SELECT, and the types of what it selects. */
  columns: string;
  types: Record<string, 'bigint' | 'text' | 'boolean'>;
  /** A further condition on the rows. */
  filter?: string;
  render: (row: Row) => string;
}

export type PageReader = (request: RowsRequest) => Promise<Page>;

/** Reads pages of a table. Those of one shape that wait together become one query. */
export function createPageReader<Row extends { id: string }>(sql: Sql, paged: PagedTable<Row>): PageReader {
  const columns = Object.entries(paged.types);
  const readers = new Map<string, PageReader>();
  const readerOf = (lead: Lead, sort: Sort): PageReader => {
    const start = String(sort === 'newest' ? int64Range.largest : int64Range.smallest);
    return createReads(sql, {
      statement: pagesStatement(paged, lead, sort),
      valuesOf: ({ limit, status, petId, returned, after }: RowsRequest) => [
        after === undefined ? start : String(after),
        ...[limit, status ?? null, petId?.toString() ?? null, returned ?? null],
      ],
      rowCountOf: ({ limit }) => limit + 1,
      resultOf: (page: JoinedPage | undefined, { limit }) =>
        pageOf(takeApart<Row>(columns, page), limit, paged.render),
    });
  };

  return (request) => {
    const { sort = 'oldest' } = request;
    const lead = leadOf(request);
    const shape = `${lead} ${sort}`;
    let read = readers.get(shape);
    if (!read) readers.set(shape, (read = readerOf(lead, sort)));
    return read(request);
  };
}

type Lead = keyof typeof shapes;

/** The index to use. A pet has few orders, and few orders are returned. */
function leadOf({ petId, returned, status }: RowsRequest): Lead {
  if (petId !== undefined) return 'pet';
  if (returned) return 'returned';
  return status === undefined ? 'all' : 'status';
}

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
} as const;

/**
 * One row for each page, with its columns joined. The inner limit is a literal: without one, the server expects a tenth
 * of the table.
 */
function pagesStatement(
  { table, columns, types, filter = 'true' }: PagedTable<never>,
  lead: Lead,
  sort: Sort,
): Statement {
  const [bounds, order] = shapes[lead][sort];
  const joined = Object.entries(types).map(([column, type]) =>
    type === 'bigint'
      ? `string_agg(coalesce("${column}"::text, ''), ' ' ORDER BY ${order}) AS "${column}"`
      : `json_agg("${column}" ORDER BY ${order})::text AS "${column}"`,
  );
  return {
    name: `list-${table}-${lead}-${sort}`,
    text: `
      SELECT place::integer, page.*
      FROM unnest($1::bigint[], $2::integer[], $3::text[], $4::bigint[], $5::boolean[])
        WITH ORDINALITY AS asked (after, size, wanted_status, wanted_pet, wanted_returned, place)
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
