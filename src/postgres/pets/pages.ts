import { int64Range } from '../../domain/int64.ts';
import { pageOf, type Page } from '../../domain/pet.ts';
import type { Database } from '../database.ts';

/** What the pages of pets and of orders have in common. */
interface RowsRequest {
  limit: number;
  status?: string;
  after?: bigint;
}

interface PagedTable {
  table: string;
  columns: string;
  /** Takes a row of these columns as the driver gives it. */
  render: (row: never) => string;
}

/** Reads pages of a table; identical reads that wait together share one query. */
export function createPageReader(
  database: Pick<Database, 'read'>,
  { table, columns, render }: PagedTable,
): (request: RowsRequest) => Promise<Page> {
  const share = createSharedRead<Page>();
  const selectPage = {
    name: `list-${table}`,
    text: `SELECT ${columns} FROM ${table} WHERE id > $1::bigint ORDER BY id LIMIT $2::integer`,
  };
  // Not `status = $3 ORDER BY id`: for that the server may walk through all rows, until it has met enough of a status
  // that hardly any has. This order, within these bounds, is that of the index by status alone.
  const selectPageOfStatus = {
    name: `list-${table}-of-status`,
    text: `SELECT ${columns} FROM ${table}
      WHERE status IS NOT NULL AND (status, id) > ($3, $1::bigint) AND (status, id) <= ($3, ${int64Range.largest})
      ORDER BY status, id LIMIT $2::integer`,
  };
  return ({ limit, status, after = int64Range.smallest }) =>
    share(`${limit} ${status ?? ''} ${after}`, async () => {
      const bounds = [String(after), limit + 1];
      const rows =
        status === undefined
          ? await database.read<never>(selectPage, bounds)
          : await database.read<never>(selectPageOfStatus, [...bounds, status]);
      return pageOf(rows, limit, render);
    });
}

type Query<Result> = () => Promise<Result>;

/**
 * Lets identical reads that wait together share one query. A caller joins only a query that has not started, so the
 * result is as fresh as if each had asked alone; while one query of a kind is under way, the next one gathers.
 */
export function createSharedRead<Result>(): (key: string, query: Query<Result>) => Promise<Result> {
  /** By the key of each query under way: what those who came later wait for. */
  const nextByKey = new Map<string, PromiseWithResolvers<Result> | undefined>();

  const start = (key: string, query: Query<Result>): Promise<Result> => {
    nextByKey.set(key, undefined);
    const running = query();
    running.then(
      () => {
        const next = nextByKey.get(key);
        if (next) start(key, query).then(next.resolve, next.reject);
        else nextByKey.delete(key);
      },
      (error: unknown) => {
        // Those who gathered behind a store that does not respond do not wait for it again.
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
