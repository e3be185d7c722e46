import type { QueryResultRow } from 'pg';
import { createBatcher } from '../batcher.ts';
import { isStoreDown } from './errors.ts';
import type { Statement, Value } from './session.ts';
import type { Sql } from './sessions.ts';

export interface ReadOptions<Request, Row, Result> {
  /** Takes an array for each value of a request. Returns at most one row per request, with its `place` from 1. */
  statement: Statement;
  /** Requests with equal values are equal. */
  valuesOf: (request: Request) => readonly Value[];
  resultOf: (row: Row | undefined, request: Request) => Result;
  /** How many rows of a table a request may read; 1 by default. */
  rowCountOf?: (request: Request) => number;
}

const maxRowsPerQuery = 1000;
const maxWaitMs = 2500;

/**
 * Reads by an index. All requests that wait become one query, and equal ones share their result. A request joins only a
 * query that has not been sent, so the result is as fresh as that of its own query would be.
 */
export function createReads<Request, Row extends QueryResultRow, Result>(
  sql: Pick<Sql, 'read'>,
  { statement, valuesOf, resultOf, rowCountOf = () => 1 }: ReadOptions<Request, Row, Result>,
): (request: Request) => Promise<Result> {
  interface Read {
    request: Request;
    values: readonly Value[];
    key: string;
    isWaiting: boolean;
  }
  const waiting = new Map<string, Promise<Result>>();
  const leave = (read: Read): void => {
    read.isWaiting = false;
    waiting.delete(read.key);
  };

  const readAll = async (reads: Read[]): Promise<Result[]> => {
    reads.forEach(leave);
    const arrays = reads[0]?.values.map((_, index) => reads.map(({ values }) => values[index] ?? null));
    const rows = await sql.read<Row & { place: number }>(statement, arrays);
    const rowAt = new Map(rows.map((row) => [row.place, row]));
    return reads.map(({ request }, index) => resultOf(rowAt.get(index + 1), request));
  };

  const batches = createBatcher(readAll, {
    maxWaitMs,
    size: { of: ({ request }) => rowCountOf(request), maxPerBatch: maxRowsPerQuery },
    onRefused: leave,
    isStoreDown,
  });

  return (request) => {
    const values = valuesOf(request);
    const key = values.join(' ');
    const equal = waiting.get(key);
    if (equal) return equal;
    const read = { request, values, key, isWaiting: true };
    const result = batches.add(read);
    // It may have been sent at once, or refused.
    if (read.isWaiting) waiting.set(key, result);
    return result;
  };
}
