import { unavailable } from '../../domain/error.ts';
import { createScanner } from '../batcher.ts';
import type { InputRow } from '../statement.ts';
import { type Failure, failureOf } from './errors.ts';
import type { StoreFile } from './file.ts';
import { translate } from './statements.ts';
import type { StoreWatch } from './watch.ts';

export interface Search {
  sql: string;
  values: InputRow;
}

export type SearchReply = { rows: unknown[] } | { failure: Failure };

/** Runs scans on a thread of their own. */
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

  const send = async (message: Search | 'close'): Promise<SearchReply> => {
    reply = Promise.withResolvers();
    try {
      (thread ??= startThread()).postMessage(message);
      return await reply.promise;
    } catch (error) {
      // Without a free descriptor, for example, a thread cannot start. The next search starts another.
      throw unavailable(error);
    }
  };

  const scanner = createScanner(async (statement, values) => {
    const problem = watch.problem();
    if (problem) throw problem;
    const result = await send({ sql: translate(statement), values });
    if ('failure' in result) throw failureOf(result.failure);
    return result.rows;
  });

  return {
    scan: scanner.scan,
    /** Waits for all scans, then ends the thread. */
    async close(): Promise<void> {
      await scanner.close();
      if (!thread) return;
      await send('close');
      thread.terminate();
    },
  };
}
