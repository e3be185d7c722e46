import { PetstoreError } from '../domain/error.ts';
import { createBatcher } from './batcher.ts';
import type { InputRow, Reader, Statement } from './statement.ts';

interface Scan {
  statement: Statement;
  values: InputRow;
  signal: AbortSignal | undefined;
}

/** A search among a million pets takes a fraction of a second; with a longer queue, its last callers would give up. */
const limits = { maxLength: 32, maxWaitMs: 3000, maxPerBatch: 1 };

/** Runs scans one at a time, because each may read every row. `close` waits for all of them. */
export function createScanner(
  run: (statement: Statement, values: InputRow) => Promise<unknown[]>,
): Pick<Reader, 'scan'> & { close(): Promise<void> } {
  const runUnlessLeft = ({ statement, values, signal }: Scan): Promise<unknown[]> => {
    if (signal?.aborted) throw new PetstoreError('overloaded', 'The caller left while the search waited.');
    return run(statement, values);
  };
  const queue = createBatcher(async (batch: Scan[]) => Promise.all(batch.map(runUnlessLeft)), limits);
  return {
    scan: async <Row>(statement: Statement, values: InputRow, signal?: AbortSignal) =>
      (await queue.add({ statement, values, signal })) as Row[],
    close: () => queue.close(),
  };
}
