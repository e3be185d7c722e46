import { int64Range } from '../../int64.ts';
import type { Page, PageRequest, PetStatus } from '../../pet.ts';
import { petColumns, type PetRow } from '../pet-row.ts';
import type { Statement } from '../session/connection.ts';
import { applySettings } from '../session/session-settings.ts';
import { pageOf, smallestId, type Dialect, type Reader } from './dialect.ts';

/** For PostgreSQL and what is built from it without changing its planner, such as Citus. */
export const native: Dialect = {
  name: 'postgres',
  readPages,
  prepareSession: applySettings,
  hasNotifications: true,
  hasAdvisoryLocks: true,
};

/** Pets in the order of an index, after a given id. */
interface Range {
  /** `start` is an SQL expression. */
  isAfter: (start: string) => string;
  order: string;
}

const allPets: Range = { isAfter: (start) => `id > ${start}`, order: 'id' };
// Not `status = $3 ORDER BY id`: for that the server may walk through all pets, until it has met enough of a status
// that hardly any has. This order, within these bounds, is that of the index by status alone.
const petsOfStatus: Range = {
  isAfter: (start) =>
    `status IS NOT NULL AND (status, id) > ($3, ${start}) AND (status, id) <= ($3, ${int64Range.largest})`,
  order: 'status, id',
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

async function readPages(database: Reader, status: PetStatus | undefined, requests: PageRequest[]) {
  const filter = status === undefined ? [] : [status];
  const [first] = requests;
  if (first && requests.length === 1) {
    const statement = status === undefined ? selectPage : selectPageOfStatus;
    return [await readPage(database, statement, first, filter)];
  }
  const statement = status === undefined ? selectPages : selectPagesOfStatus;
  const starts = requests.map(({ after = smallestId }) => String(after));
  const limits = requests.map(({ limit }) => limit);
  const rows = await database.read<RenderedPage>(statement, [starts, limits, ...filter]);
  return rows.map(({ json, next }) => (next === null ? { json } : { json, next: BigInt(next) }));
}

/** The plain query costs the server far less than the one that gathers pages. */
async function readPage(
  database: Reader,
  statement: Statement,
  { after = smallestId, limit }: PageRequest,
  filter: string[],
): Promise<Page> {
  return pageOf(await database.read<PetRow>(statement, [String(after), limit + 1, ...filter]), limit);
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
function pagesSql({ isAfter, order }: Range): string {
  const backwards = order.replaceAll(/\w+/g, '$& DESC');
  return `
    SELECT page.json, nullif(page.last, newest.id)::text AS next
    FROM unnest($1::bigint[], $2::integer[]) WITH ORDINALITY AS request (start, size, place)
    CROSS JOIN (
      SELECT (SELECT id FROM pets WHERE ${isAfter(`'${smallestId}'::bigint`)} ORDER BY ${backwards} LIMIT 1) AS id
    ) AS newest
    CROSS JOIN LATERAL (
      SELECT concat('[', string_agg(${petJson}, ',' ORDER BY ${order}), ']') AS json, max(id) AS last
      FROM (SELECT * FROM pets WHERE ${isAfter('request.start')} ORDER BY ${order} LIMIT request.size) AS pet
    ) AS page
    ORDER BY request.place`;
}
