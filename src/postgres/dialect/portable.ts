import { int64Range } from '../../domain/int64.ts';
import type { Page, PageRequest, PetStatus } from '../../domain/pet.ts';
import { petColumns, petJsonOf, type PetRow } from '../pets/pet-row.ts';
import { pageOf, type Dialect, type Reader } from './dialect.ts';

/**
 * For engines that only speak PostgreSQL's protocol: plain queries with a constant `LIMIT`, and nothing that depends on
 * PostgreSQL's planner, notifications or locks.
 */
export const portable: Dialect = {
  name: 'portable',
  readPages: (database, status, requests) =>
    Promise.all(requests.map((request) => readPage(database, status, request))),
  prepareSession: async () => {},
  hasNotifications: false,
  hasAdvisoryLocks: false,
};

/** A limit is from 1 to 100, so a session prepares at most two hundred of these statements. */
async function readPage(
  database: Reader,
  status: PetStatus | undefined,
  { limit, after = int64Range.smallest }: PageRequest,
): Promise<Page> {
  const [name, filter, values] =
    status === undefined
      ? [`select-page-${limit}`, '', []]
      : [`select-page-of-status-${limit}`, 'status IS NOT NULL AND status = $2 AND', [status]];
  const text = `SELECT ${petColumns} FROM pets WHERE ${filter} id > $1::bigint ORDER BY id LIMIT ${limit + 1}`;
  const rows = await database.read<PetRow>({ name, text }, [String(after), ...values]);
  return pageOf(rows, limit, petJsonOf);
}
