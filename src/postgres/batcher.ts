import { PetstoreError, storeClosing, unavailable } from '../domain/error.ts';
import type { WriteMetrics } from '../metrics/writes.ts';

/** Collects requests into batches: while one batch runs, the next one is collected. */
export interface Batcher<Request, Result> {
  /** Fails with `overloaded` if too many wait, and with `unavailable` if the wait takes too long. */
  add(request: Request): Promise<Result>;
  /** Refuses new requests and waits for the pending ones. */
  close(): Promise<void>;
  /** How many requests wait for their batch. */
  readonly waiting: number;
}

export interface BatcherOptions {
  maxQueued?: number;
  metrics?: WriteMetrics | undefined;
}

const waitForBatchMs = 2500;
const maxPerBatch = 1000;

/** `run` returns results in the order of the requests. If it fails without a `PetstoreError`, nothing was done. */
export function createBatcher<Request, Result>(
  run: (requests: Request[]) => Promise<Result[]>,
  { maxQueued, metrics }: BatcherOptions = {},
): Batcher<Request, Result> {
  const queue = createBoundedQueue<Request, Result>(waitForBatchMs, maxQueued);
  let running: Promise<void> | undefined;
  let isClosed = false;

  const runAll = async (): Promise<void> => {
    while (queue.length > 0) {
      await settle(queue.take(maxPerBatch));
    }
    running = undefined;
  };

  const settle = async (batch: Queued<Request, Result>[]): Promise<void> => {
    const startedAt = performance.now();
    try {
      const results = await run(batch.map(({ request }) => request)).finally(() => {
        metrics?.batchSize.observe(batch.length);
        metrics?.commitSeconds.observe((performance.now() - startedAt) / 1000);
      });
      batch.forEach(({ resolve }, index) => resolve(results[index] as Result));
    } catch (error) {
      // One bad request must not fail the others; a store that is down fails them all.
      if (!(error instanceof PetstoreError) && batch.length > 1) for (const one of batch) await settle([one]);
      else for (const { reject } of batch) reject(error);
    }
  };

  return {
    get waiting() {
      return queue.length;
    },
    async add(request) {
      if (isClosed) throw storeClosing();
      const result = queue.add(request);
      running ??= runAll();
      return result;
    },
    async close() {
      isClosed = true;
      await running;
    },
  };
}

interface Queued<Request, Result> {
  request: Request;
  since: number;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/** A queue with a limit on its length and on the time that a request may wait. */
export function createBoundedQueue<Request, Result>(maxWaitMs: number, maxLength = 10_000) {
  const queued: Queued<Request, Result>[] = [];
  let timer: Timer | undefined;

  const refuseLate = (): void => {
    const oldest = performance.now() - maxWaitMs;
    const inTime = queued.findIndex(({ since }) => since > oldest);
    for (const { reject } of queued.splice(0, inTime === -1 ? queued.length : inTime)) {
      reject(unavailable(new Error(`Waited more than ${maxWaitMs} ms.`)));
    }
    const [first] = queued;
    timer = first && setTimeout(refuseLate, Math.max(0, first.since - oldest)).unref();
  };

  return {
    get length() {
      return queued.length;
    },
    add: (request: Request): Promise<Result> =>
      new Promise((resolve, reject) => {
        if (queued.length >= maxLength) {
          return reject(new PetstoreError('overloaded', 'Too many requests are waiting. Try again shortly.'));
        }
        queued.push({ request, since: performance.now(), resolve, reject });
        timer ??= setTimeout(refuseLate, maxWaitMs).unref();
      }),
    /** Removes at most `count` requests, in order of arrival. */
    take: (count: number) => queued.splice(0, count),
  };
}
