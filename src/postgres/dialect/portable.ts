import type { Page, PageRequest, PetStatus } from '../../pet.ts';
import type { Statement } from '../session/connection.ts';
import { smallestId, type Dialect, type PetColumns, type Reader } from './dialect.ts';

interface PetRow {
  name: string;
  category_id: string;
  status: PetStatus | null;
}

const petColumns = 'name, category_id::text AS category_id, status';

/**
 * For engines that only speak PostgreSQL's protocol: plain queries with a constant `LIMIT`, JSON rendered here, and nothing
 * that depends on PostgreSQL's planner, notifications or locks.
 */
export const portable: Dialect = {
  name: 'portable',
  petColumns,
  jsonOf,
  readPages: (database, status, requests) =>
    Promise.all(requests.map((request) => readPage(database, status, request))),
  prepareSession: async () => {},
  hasNotifications: false,
  hasAdvisoryLocks: false,
};

function jsonOf(id: string, row: PetColumns): string {
  const { name, category_id: categoryId, status } = row as unknown as PetRow;
  const statusField = status === null ? '' : `,"status":"${status}"`;
  return `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId}${statusField}}`;
}

/** Asks for one pet more than the page holds: if there is one, more pages follow. */
async function readPage(
  database: Reader,
  status: PetStatus | undefined,
  { limit, after = smallestId }: PageRequest,
): Promise<Page> {
  const [statement, ...filter] =
    status === undefined ? [selectPage(limit)] : [selectPageOfStatus(limit), status];
  const rows = await database.read<PetRow & { id: string }>(statement, [String(after), ...filter]);
  const pets = rows.slice(0, limit);
  const json = `[${pets.map((row) => jsonOf(row.id, { ...row })).join(',')}]`;
  const last = rows.length > limit ? pets.at(-1) : undefined;
  return last ? { json, next: BigInt(last.id) } : { json };
}

/** A limit is from 1 to 100, so a session keeps at most a hundred of each. */
function selectPage(limit: number): Statement {
  return {
    name: `select-page-${limit}`,
    text: `SELECT id::text, ${petColumns} FROM pets WHERE id > $1::bigint ORDER BY pets.id LIMIT ${limit + 1}`,
  };
}

function selectPageOfStatus(limit: number): Statement {
  return {
    name: `select-page-of-status-${limit}`,
    text: `SELECT id::text, ${petColumns} FROM pets
      WHERE status IS NOT NULL AND status = $2 AND id > $1::bigint ORDER BY pets.id LIMIT ${limit + 1}`,
  };
}
