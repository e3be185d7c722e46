import type { QueryResultRow } from 'pg';
import { PetstoreError, unavailable } from '../../domain/error.ts';
import { isDamage } from './errors.ts';
import type { Statement, Value } from './sessions/session.ts';
import type { Sql } from './sql.ts';

export interface ReadOptions<Request, Row, Result> {
  /** Takes an array for each value of a request. Returns at most one row per request, with its `place` from 1. */
  statement: Statement;
  /** Requests with equal values are equal. */
  valuesOf: (request: Request) => readonly Value[];
  resultOf: (row: Row | undefined, request: Request) => Result;
  /** How many rows of a table a request may read; 1 by default. */
  rowCountOf?: (request: Request) => number;
}

interface Waiting<Request, Result> extends PromiseWithResolvers<Result> {
  request: Request;
  values: readonly Value[];
  since: number;
}

const maxRowsPerQuery = 1000;
const maxWaiting = 10_000;
const maxWaitMs = 2500;

/**
 * Reads by an index. All requests that wait become one query, and equal ones share their result. A request joins only a
 * query that has not been sent, so the result is as fresh as that of its own query would be.
 */
export function createReads<Request, Row extends QueryResultRow, Result>(
  sql: Pick<Sql, 'read'>,
  { statement, valuesOf, resultOf, rowCountOf = () => 1 }: ReadOptions<Request, Row, Result>,
): (request: Request) => Promise<Result> {
  type Batch = Waiting<Request, Result>[];
  /** By their values, in order of arrival. */
  const waiting = new Map<string, Waiting<Request, Result>>();
  let isReading = false;
  let timer: Timer | undefined;

  /** Takes the batch and frees the turn in one step, so that no request begins to wait in between. */
  const readNext = (): void => {
    const batch = takeBatch();
    isReading = batch.length > 0;
    if (isReading) read(batch, readNext);
  };

  const takeBatch = (): Batch => {
    const batch: Batch = [];
    let rowCount = 0;
    for (const [key, one] of waiting) {
      rowCount += rowCountOf(one.request);
      if (rowCount > maxRowsPerQuery && batch.length > 0) break;
      batch.push(one);
      waiting.delete(key);
    }
    return batch;
  };

  const read = (batch: Batch, onEnd?: () => void): void => {
    const arrays = batch[0]?.values.map((_, index) => batch.map(({ values }) => values[index] ?? null));
    sql.read<Row & { place: number }>(statement, arrays).then(
      (rows) => {
        // First, so that the server works while the results are made.
        onEnd?.();
        const rowAt: (Row | undefined)[] = Array.from({ length: batch.length });
        for (const row of rows) rowAt[row.place - 1] = row;
        batch.forEach((one, index) => settle(one, rowAt[index]));
      },
      (error: unknown) => {
        fail(batch, error);
        onEnd?.();
      },
    );
  };

  const settle = ({ request, resolve, reject }: Waiting<Request, Result>, row: Row | undefined): void => {
    try {
      resolve(resultOf(row, request));
    } catch (error) {
      reject(error);
    }
  };

  const fail = (batch: Batch, error: unknown): void => {
    const isDown = error instanceof PetstoreError && !isDamage(error);
    // Fail those that wait as well, instead of letting them wait for the store again.
    if (isDown) refuse(error);
    // One bad row must not fail the requests for others.
    if (!isDown && batch.length > 1) for (const one of batch) read([one]);
    else for (const { reject } of batch) reject(error);
  };

  const refuse = (error: PetstoreError, since = Infinity): void => {
    for (const [key, one] of waiting) {
      if (one.since > since) break;
      waiting.delete(key);
      one.reject(error);
    }
  };

  const refuseLate = (): void => {
    const latest = performance.now() - maxWaitMs;
    refuse(unavailable(new Error(`Waited more than ${maxWaitMs} ms.`)), latest);
    const [first] = waiting.values();
    timer = first && setTimeout(refuseLate, first.since - latest).unref();
  };

  return (request) => {
    const values = valuesOf(request);
    const key = values.join(' ');
    const equal = waiting.get(key);
    if (equal) return equal.promise;
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    if (waiting.size >= maxWaiting) {
      reject(new PetstoreError('overloaded', 'Too many requests are waiting. Try again shortly.'));
      return promise;
    }
    waiting.set(key, { request, values, since: performance.now(), promise, resolve, reject });
    if (isReading) timer ??= setTimeout(refuseLate, maxWaitMs).unref();
    else readNext();
    return promise;
  };
}
