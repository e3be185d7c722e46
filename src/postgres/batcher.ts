import { PetstoreError } from '../error.ts';
import { unavailable } from './errors.ts';

/** Gathers requests into batches: while as many as may be are on their way, the next one gathers. */
export interface Batcher<Request, Result> {
  /** Fails with `overloaded` when too many wait, with `unavailable` when the wait takes too long. */
  add(request: Request): Promise<Result>;
  /** Takes no more requests and waits for those it has. */
  close(): Promise<void>;
}

export interface BatcherOptions<Request, Result> {
  /** The results in the order of the requests. An error that is no `PetstoreError` means that nothing was done. */
  run: (requests: Request[]) => Promise<Result[]>;
  maxQueued?: number;
  /** How much of a batch a request takes: 1 unless told. */
  sizeOf?: (request: Request) => number;
  /** The size of a batch, unless a single request is larger. */
  maxPerBatch?: number;
  /** Batches on their way at once. */
  maxAtOnce?: number;
}

const maxWaitMs = 2500;

interface Waiting<Request, Result> {
  request: Request;
  since: number;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

export function createBatcher<Request, Result>(
  options: BatcherOptions<Request, Result>,
): Batcher<Request, Result> {
  const { run, maxQueued = 10_000, sizeOf = () => 1, maxPerBatch = 1000, maxAtOnce = 1 } = options;
  let queued: Waiting<Request, Result>[] = [];
  let running = 0;
  let closing: PromiseWithResolvers<void> | undefined;

  const runNext = async (): Promise<void> => {
    if (running >= maxAtOnce) return;
    running += 1;
    while (queued.length > 0) {
      dropImpatient();
      const count = countOfNext();
      const batch = queued.slice(0, count);
      queued = queued.slice(count);
      if (batch.length > 0) await settle(batch);
    }
    running -= 1;
    if (running === 0) closing?.resolve();
  };

  const countOfNext = (): number => {
    let size = 0;
    const tooMany = queued.findIndex(({ request }, index) => {
      size += sizeOf(request);
      return index > 0 && size > maxPerBatch;
    });
    return tooMany === -1 ? queued.length : tooMany;
  };

  const settle = async (batch: Waiting<Request, Result>[]): Promise<void> => {
    try {
      const results = await run(batch.map(({ request }) => request));
      batch.forEach(({ resolve }, index) => resolve(results[index] as Result));
    } catch (error) {
      // One request that cannot be done must not take the others with it; a store that is down takes all.
      if (!(error instanceof PetstoreError) && batch.length > 1) for (const one of batch) await settle([one]);
      else for (const { reject } of batch) reject(error);
    }
  };

  /** Those who have waited long behind a database that does not answer are told so, and not made to wait again. */
  const dropImpatient = (): void => {
    const oldest = performance.now() - maxWaitMs;
    const dropped = queued.filter(({ since }) => since < oldest);
    if (dropped.length === 0) return;
    queued = queued.filter(({ since }) => since >= oldest);
    for (const { reject } of dropped) reject(unavailable(new Error(`Waited more than ${maxWaitMs} ms.`)));
  };

  return {
    add: (request) =>
      new Promise((resolve, reject) => {
        if (closing) return reject(new PetstoreError('unavailable', 'The store is closing.'));
        if (queued.length >= maxQueued) {
          return reject(new PetstoreError('overloaded', 'Too many requests are waiting. Try again shortly.'));
        }
        queued.push({ request, since: performance.now(), resolve, reject });
        void runNext();
      }),
    async close() {
      closing ??= Promise.withResolvers();
      if (running === 0) closing.resolve();
      await closing.promise;
    },
  };
}
