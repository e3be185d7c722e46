import { int64Range } from '../../domain/int64.ts';
import type { Page, PageRequest, PetStatus } from '../../domain/pet.ts';
import type { Database } from '../database.ts';
import { petColumns, petJsonOf, type PetRow } from './pet-row.ts';

export type Reader = Pick<Database, 'read'>;

/** The page that these rows make. One row more than the page holds says that another page follows. */
export function pageOf<Row extends { id: string }>(
  rows: readonly Row[],
  limit: number,
  render: (row: Row) => string,
): Page {
  const shown = rows.slice(0, limit);
  const json = `[${shown.map(render).join(',')}]`;
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return last ? { json, next: BigInt(last.id) } : { json };
}

/** Pets in the order of an index, after a given id. */
interface Range {
  /** `start` is an SQL expression. */
  isAfter: (start: string) => string;
  order: string;
  backwards: string;
}

const allPets: Range = { isAfter: (start) => `id > ${start}`, order: 'id', backwards: 'id DESC' };
// Not `status = $3 ORDER BY id`: for that the server may walk through all pets, until it has met enough of a status
// that hardly any has. This order, within these bounds, is that of the index by status alone.
const petsOfStatus: Range = {
  isAfter: (start) =>
    `status IS NOT NULL AND (status, id) > ($3, ${start}) AND (status, id) <= ($3, ${int64Range.largest})`,
  order: 'status, id',
  backwards: 'status DESC, id DESC',
};

/**
 * One pet as JSON, of the columns in scope: int64 to the last digit, no spaces, an absent status left out (`concat` skips
 * what is null). docs/decisions.md says why it is rendered this way.
 */
const petJson = `concat('{"id":', id, ',"name":', to_json(name), ',"categoryId":', category_id,
  ',"status":"' || status || '"', '}')`;

const selectPage = { name: 'select-page', text: pageSql(allPets) };
const selectPages = { name: 'select-pages', text: pagesSql(allPets) };
const selectPageOfStatus = { name: 'select-page-of-status', text: pageSql(petsOfStatus) };
const selectPagesOfStatus = { name: 'select-pages-of-status', text: pagesSql(petsOfStatus) };

/** Reads the pages that wait together, of one status or of all; in the order of the requests. */
export async function readPages(
  database: Reader,
  status: PetStatus | undefined,
  requests: PageRequest[],
): Promise<Page[]> {
  const filter = status === undefined ? [] : [status];
  const starts = requests.map(({ after = int64Range.smallest }) => String(after));
  const limits = requests.map(({ limit }) => limit);
  // The plain query costs the server far less than the one that gathers pages.
  const [limit] = limits;
  if (limit !== undefined && requests.length === 1) {
    const statement = status === undefined ? selectPage : selectPageOfStatus;
    const rows = await database.read<PetRow>(statement, [...starts, limit + 1, ...filter]);
    return [pageOf(rows, limit, petJsonOf)];
  }
  const statement = status === undefined ? selectPages : selectPagesOfStatus;
  const rows = await database.read<RenderedPage>(statement, [starts, limits, ...filter]);
  return rows.map(({ json, next }) => (next === null ? { json } : { json, next: BigInt(next) }));
}

function pageSql({ isAfter, order }: Range): string {
  return `SELECT ${petColumns} FROM pets WHERE ${isAfter('$1::bigint')} ORDER BY ${order} LIMIT $2::integer`;
}

interface RenderedPage {
  json: string;
  /** Null when the page is the last one. */
  next: string | null;
}

/**
 * Many pages at once, one row for each in the order of the requests: the rendered array, and its last id unless that is
 * the last id of all. The order is asked for inside the aggregate, too, since only there is it promised.
 */
function pagesSql({ isAfter, order, backwards }: Range): string {
  const newest = `SELECT id FROM pets WHERE ${isAfter(`'${int64Range.smallest}'::bigint`)} ORDER BY ${backwards} LIMIT 1`;
  return `
    SELECT page.json, nullif(page.last, newest.id)::text AS next
    FROM unnest($1::bigint[], $2::integer[]) WITH ORDINALITY AS request (start, size, place)
    CROSS JOIN (SELECT (${newest}) AS id) AS newest
    CROSS JOIN LATERAL (
      SELECT concat('[', string_agg(${petJson}, ',' ORDER BY ${order}), ']') AS json, max(id) AS last
      FROM (SELECT * FROM pets WHERE ${isAfter('request.start')} ORDER BY ${order} LIMIT request.size) AS pet
    ) AS page
    ORDER BY request.place`;
}
