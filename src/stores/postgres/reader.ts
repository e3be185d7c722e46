import { createBatcher } from '../batcher.ts';
import { createScanner } from '../scans.ts';
import type { InputRow, Reader, Statement } from '../statement.ts';
import { limits } from './session.ts';
import type { Sql } from './sql.ts';
import { arraysOf, parameterOf, prepareForReads, prepareForScan } from './statements.ts';

interface Read {
  key: string;
  values: InputRow;
  resultOf: (rows: never[]) => unknown;
}

/**
 * Reads by an index: all that wait with one statement become one query, and equal ones share their result. A read joins
 * only a query that has not been sent, so the result is as fresh as that of its own query would be.
 */
export function createReader(sql: Pick<Sql, 'read' | 'search'>): Reader {
  const batches = new WeakMap<Statement, (read: Read) => Promise<unknown>>();

  const createBatches = (statement: Statement) => {
    const size = Object.keys(statement.input).indexOf('size');
    const prepared = prepareForReads(statement);
    /** By key; undefined while a read is being added. */
    const waiting = new Map<string, Promise<unknown> | undefined>();
    const leave = ({ key }: Read): void => void waiting.delete(key);

    const runBatch = async (reads: Read[]): Promise<unknown[]> => {
      reads.forEach(leave);
      const rows = await sql.read<{ place: number }>(
        prepared,
        arraysOf(
          statement,
          reads.map(({ values }) => values),
        ),
      );
      const byPlace = Map.groupBy(rows, ({ place }) => place);
      return reads.map(({ resultOf }, index) => resultOf((byPlace.get(index + 1) ?? []) as never[]));
    };

    const batcher = createBatcher(runBatch, {
      maxWaitMs: limits.queueMs,
      onRefused: leave,
      ...(size !== -1 && { rowsOf: ({ values }: Read) => Number(values[size]) + 1 }),
    });

    return (read: Read): Promise<unknown> => {
      const equal = waiting.get(read.key);
      if (equal) return equal;
      waiting.set(read.key, undefined);
      const result = batcher.add(read);
      // It may have been sent at once, or refused.
      if (waiting.has(read.key)) waiting.set(read.key, result);
      return result;
    };
  };

  return {
    read<Result>(statement: Statement, values: InputRow, resultOf: (rows: never[]) => Result) {
      let read = batches.get(statement);
      if (!read) batches.set(statement, (read = createBatches(statement)));
      return read({ key: values.join('\0'), values, resultOf }) as Promise<Result>;
    },
    scan: createScanner((statement, values) => sql.search(prepareForScan(statement), values.map(parameterOf)))
      .scan,
  };
}
