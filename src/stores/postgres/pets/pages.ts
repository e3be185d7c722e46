import type { OrderPageRequest } from '../../store.ts';
import { int64Range } from '../../../domain/int64.ts';
import { pageOf, type Page, type Sort } from '../../../domain/paging.ts';
import { createSharedRead } from '../shared-read.ts';
import type { Sql } from '../sql.ts';

/** Pages of pets have no `petId` and no `returned`. */
type RowsRequest = Omit<OrderPageRequest, 'status'> & { status?: string };

interface PagedTable {
  table: string;
  columns: string;
  /** Receives a row of these columns from the driver. */
  render: (row: never) => string;
}

export type PageReader = (request: RowsRequest) => Promise<Page>;

/** Reads pages of a table. Identical waiting reads share one query. */
export function createPageReader(sql: Sql, { table, columns, render }: PagedTable): PageReader {
  const share = createSharedRead<Page>();
  return ({ limit, status, petId, returned, sort = 'oldest', after }) =>
    share(`${limit} ${status ?? ''} ${petId ?? ''} ${returned ?? ''} ${sort} ${after ?? ''}`, async () => {
      const lead = petId !== undefined ? 'pet_id' : status !== undefined ? 'status' : undefined;
      const statement = {
        name: `list-${table}-${sort}-${lead ?? 'all'}-${returned ?? ''}`,
        text: `SELECT ${columns} FROM ${table} ${pageBounds(sort, lead, returned)} LIMIT $2::integer`,
      };
      const first = sort === 'newest' ? int64Range.largest : int64Range.smallest;
      const values = [String(after ?? first), limit + 1];
      if (petId !== undefined) values.push(String(petId));
      const rows = await sql.read<never>(statement, lead ? [...values, status ?? null] : values);
      return pageOf(rows, limit, render);
    });
}

type Lead = 'status' | 'pet_id';

/**
 * Selects the rows after `$1`; with a lead, those with `$3` in that column. `status = $3 ORDER BY id` would not do: the
 * server may walk through all rows to find enough with a rare status. These bounds and this sort match only the index
 * on the lead.
 */
function pageBounds(sort: Sort, lead: Lead | undefined, returned: boolean | undefined): string {
  const { smallest, largest } = int64Range;
  const isNewest = sort === 'newest';
  const [behind, way] = isNewest ? ['<', 'DESC'] : ['>', ''];
  const isReturned = returned === undefined ? '' : `AND returned_at IS ${returned ? 'NOT ' : ''}NULL`;
  if (!lead) return `WHERE id ${behind} $1::bigint ${isReturned} ORDER BY id ${way}`;
  const value = lead === 'status' ? '$3' : '$3::bigint';
  const end = isNewest ? `>= (${value}, ${smallest})` : `<= (${value}, ${largest})`;
  const only = lead === 'status' ? '' : 'AND ($4::text IS NULL OR status = $4)';
  return `WHERE ${lead} IS NOT NULL AND (${lead}, id) ${behind} (${value}, $1::bigint) AND (${lead}, id) ${end} ${only}
    ${isReturned} ORDER BY ${lead} ${way}, id ${way}`;
}
