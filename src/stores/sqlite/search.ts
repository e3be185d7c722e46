import { PetstoreError, unavailable } from '../../domain/error.ts';
import { createBatcher } from '../batcher.ts';
import { type Failure, failureOf } from './errors.ts';
import type { StoreFile } from './file.ts';
import type { Bound } from './statements.ts';
import type { StoreWatch } from './watch.ts';

export type SearchReply = { rows: unknown[] } | { failure: Failure };

interface Scan {
  bound: Bound;
  signal: AbortSignal | undefined;
}

/** A search among a million pets takes a fraction of a second; callers behind more than these would give up. */
const limits = { maxLength: 32, maxWaitMs: 3000 };

/** Runs scans, which may read many rows, one at a time, on a thread of their own. */
export function openSearcher(store: StoreFile, watch: Pick<StoreWatch, 'problem'>) {
  let thread: Worker | undefined;
  let reply: PromiseWithResolvers<SearchReply>;

  const startThread = (): Worker => {
    // Keep the URL literal here: the one-file build searches for it.
    const worker = new Worker(new URL('./search-thread.ts', import.meta.url));
    worker.onmessage = ({ data }: MessageEvent<SearchReply>) => reply.resolve(data);
    worker.onerror = ({ message }) => {
      worker.terminate();
      thread = undefined;
      reply.reject(new Error(message));
    };
    worker.postMessage(store);
    return worker;
  };

  const send = async (message: Bound | 'close'): Promise<SearchReply> => {
    reply = Promise.withResolvers();
    try {
      (thread ??= startThread()).postMessage(message);
      return await reply.promise;
    } catch (error) {
      // Without a free descriptor, for example, a thread cannot start. The next search starts another.
      throw unavailable(error);
    }
  };

  const runScan = async ({ bound, signal }: Scan): Promise<unknown[]> => {
    const problem = watch.problem();
    if (problem) throw problem;
    if (signal?.aborted) throw new PetstoreError('overloaded', 'The caller left while the search waited.');
    const result = await send(bound);
    if ('failure' in result) throw failureOf(result.failure);
    return result.rows;
  };
  // Each scan is a batch of its own.
  const scans = createBatcher((batch: Scan[]) => Promise.all(batch.map(runScan)), {
    ...limits,
    rowsOf: () => Infinity,
  });

  return {
    /** Does not start once `signal` is aborted. */
    search: async <Row>(bound: Bound, signal?: AbortSignal) => (await scans.add({ bound, signal })) as Row[],
    /** Waits for all searches, then ends the thread. */
    async close(): Promise<void> {
      await scans.close();
      if (!thread) return;
      await send('close');
      thread.terminate();
    },
  };
}
