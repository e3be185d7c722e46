import { PetstoreError, storeClosing, unavailable } from '../../domain/error.ts';
import { createBatcher } from '../batcher.ts';
import type { Page, SearchRequest } from '../store.ts';
import { type Failure, failureOf } from './errors.ts';
import type { StoreFile } from './file.ts';
import type { StoreWatch } from './watch.ts';

export type Searcher = ReturnType<typeof openSearcher>;
export type SearchOutcome = { page: Page } | { failure: Failure };

interface Waiting {
  request: SearchRequest;
  signal: AbortSignal | undefined;
}

/** A search among a million pets takes a fraction of a second; callers behind more than these would give up. */
const limits = { maxLength: 32, maxWaitMs: 3000, size: { of: () => 1, maxPerBatch: 1 } };

/** Runs searches that read many pets, one at a time, on a thread of their own. */
export function openSearcher(store: StoreFile, watch: Pick<StoreWatch, 'problem'>) {
  let thread: Worker | undefined;
  let replied: PromiseWithResolvers<SearchOutcome>;
  let closed: Promise<void> | undefined;

  const startThread = (): Worker => {
    // Keep the URL literal here: the one-file build searches for it.
    const worker = new Worker(new URL('./search-thread.ts', import.meta.url));
    worker.onmessage = ({ data }: MessageEvent<SearchOutcome>) => replied.resolve(data);
    // It may fail to start, for example without a free descriptor. The next search starts another.
    worker.onerror = ({ message }) => {
      worker.terminate();
      thread = undefined;
      replied.reject(unavailable(new Error(`The search thread is gone: ${message}`)));
    };
    worker.postMessage(store);
    return worker;
  };

  const send = (message: SearchRequest | 'close'): Promise<SearchOutcome> => {
    replied = Promise.withResolvers();
    (thread ??= startThread()).postMessage(message);
    return replied.promise;
  };

  const run = async ({ request, signal }: Waiting): Promise<Page> => {
    if (closed) throw storeClosing();
    if (signal?.aborted) throw new PetstoreError('overloaded', 'The caller has left.');
    const outcome = await send(request);
    if ('failure' in outcome) throw failureOf(outcome.failure);
    return outcome.page;
  };

  const searches = createBatcher((batch: Waiting[]) => Promise.all(batch.map(run)), limits);

  const close = async (): Promise<void> => {
    await searches.close();
    if (thread) await send('close');
    thread?.terminate();
  };

  return {
    /** Fails if too many searches wait or this one waits too long. Does not start once `signal` is aborted. */
    async search(request: SearchRequest, signal?: AbortSignal): Promise<Page> {
      const problem = watch.problem();
      if (problem) throw problem;
      return searches.add({ request, signal });
    },
    /** Waits for the running search, then ends the thread. */
    close: () => (closed ??= close()),
  };
}
