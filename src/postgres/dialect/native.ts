import { int64Range } from '../../int64.ts';
import type { PageRequest, PetStatus } from '../../pet.ts';
import { keepPlans } from '../session/session-settings.ts';
import { smallestId, type Dialect, type Reader } from './dialect.ts';

/**
 * One pet as JSON, of the columns in scope: int64 to the last digit, no spaces, an absent status left out (`concat` skips
 * what is null). docs/decisions.md says why it is rendered this way.
 */
const petJson = `concat('{"id":', id, ',"name":', to_json(name), ',"categoryId":', category_id,
  ',"status":"' || status || '"', '}')`;

const selectPages = { name: 'select-pages', text: pagesSql((start) => `id > ${start}`, 'id') };
// Not `status = $3 ORDER BY id`: for that the server may walk through all pets, until it has met enough of a status
// that hardly any has. This order, within these bounds, is that of the index by status alone.
const selectPagesOfStatus = {
  name: 'select-pages-of-status',
  text: pagesSql(
    (start) =>
      `status IS NOT NULL AND (status, id) > ($3, ${start}) AND (status, id) <= ($3, ${int64Range.largest})`,
    'status, id',
  ),
};

interface PageRow {
  json: string;
  /** Null when the page is the last one. */
  next: string | null;
}

/** For PostgreSQL and what is built from it without changing its planner, such as Citus. */
export const native: Dialect = {
  name: 'postgres',
  petColumns: `${petJson} AS json`,
  jsonOf: (_id, row) => (row as { json: string }).json,
  readPages,
  prepareSession: keepPlans,
  hasNotifications: true,
  hasAdvisoryLocks: true,
};

/** Pages that wait together become one query: most of what a page costs is the way there and back. */
async function readPages(database: Reader, status: PetStatus | undefined, requests: PageRequest[]) {
  const [statement, ...filter] = status === undefined ? [selectPages] : [selectPagesOfStatus, status];
  const starts = requests.map(({ after = smallestId }) => String(after));
  const limits = requests.map(({ limit }) => limit);
  const rows = await database.read<PageRow>(statement, [starts, limits, ...filter]);
  return rows.map(({ json, next }) => (next === null ? { json } : { json, next: BigInt(next) }));
}

/**
 * One row per page, in the order of the requests: the rendered array, and its last id unless that is the last id of
 * all. The order is asked for inside the aggregate, too, since only there is it promised.
 */
function pagesSql(isAfter: (start: string) => string, order: string): string {
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
