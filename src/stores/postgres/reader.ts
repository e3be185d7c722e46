import { type Batcher, createBatcher, createScanner } from '../batcher.ts';
import type { InputRow, Reader, Statement } from '../statement.ts';
import { limits } from './session.ts';
import type { Sql } from './sql.ts';
import { arraysOf, parameterOf, prepareForReads, prepareForScan } from './statements.ts';

interface Read {
  key: string;
  values: InputRow;
  resultOf: (rows: never[]) => unknown;
}

/** More would keep the first callers of a batch waiting for the pages of the last. */
const maxReadsPerQuery = 100;

/**
 * Reads by an index: all that wait with one statement become one query, and equal ones share their result. A read joins
 * only a query that has not been sent, so the result is as fresh as that of its own query would be.
 */
export function createReader(sql: Pick<Sql, 'read' | 'search'>): Reader {
  const batchers = new WeakMap<Statement, Batcher<Read, unknown>>();

  const createBatches = (statement: Statement): Batcher<Read, unknown> => {
    const prepared = prepareForReads(statement);
    const runBatch = async (reads: Read[]): Promise<unknown[]> => {
      const distinct = [...new Map(reads.map((read) => [read.key, read])).values()];
      const inputs = distinct.map(({ values }) => values);
      const rows = await sql.read<{ place: number }>(prepared, arraysOf(statement, inputs));
      const byPlace = Map.groupBy(rows, ({ place }) => place);
      const results = new Map(
        distinct.map(({ key, resultOf }, index) => [
          key,
          resultOf((byPlace.get(index + 1) ?? []) as never[]),
        ]),
      );
      return reads.map(({ key }) => results.get(key));
    };
    return createBatcher(runBatch, { maxWaitMs: limits.queueMs, maxPerBatch: maxReadsPerQuery });
  };

  return {
    read<Result>(statement: Statement, values: InputRow, resultOf: (rows: never[]) => Result) {
      let batcher = batchers.get(statement);
      if (!batcher) batchers.set(statement, (batcher = createBatches(statement)));
      return batcher.add({ key: values.join('\0'), values, resultOf }) as Promise<Result>;
    },
    scan: createScanner((statement, values) => sql.search(prepareForScan(statement), values.map(parameterOf)))
      .scan,
  };
}
