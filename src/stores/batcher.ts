import { PetstoreError, storeClosing, unavailable } from '../domain/error.ts';
import type { WriteMetrics } from '../metrics/writes.ts';

/** Collects items into batches: while one batch runs, the next one is collected. */
export interface Batcher<Item, Result> {
  /** Fails with `overloaded` if too much waits, and with `unavailable` if the wait takes too long. */
  add(item: Item): Promise<Result>;
  /** Refuses new items and waits for the pending ones. */
  close(): Promise<void>;
  /** How many items wait for their batch. */
  readonly length: number;
}

export interface BatcherOptions<Item> extends QueueOptions<Item> {
  /** Waits for the end of the turn before it starts, so that all items of a turn share a batch. */
  startsAfterTurn?: boolean;
  metrics?: WriteMetrics | undefined;
}

export interface QueueOptions<Item> {
  maxLength?: number;
  /** How long an item may wait. By default, as long as it takes. */
  maxWaitMs?: number;
  /** Bounds the bytes that wait. Without it, only their number is bounded. */
  sizeOf?: (item: Item) => number;
}

const maxItemsPerBatch = 1000;
const maxBytesPerBatch = 1024 * 1024;
const maxBytesWaiting = 32 * maxBytesPerBatch;

/** `run` returns results in the order of the items. If it fails without a `PetstoreError`, nothing was done. */
export function createBatcher<Item, Result>(
  run: (items: Item[]) => Promise<Result[]>,
  { startsAfterTurn = false, metrics, ...limits }: BatcherOptions<Item> = {},
): Batcher<Item, Result> {
  const queue = createBoundedQueue<Item, Result>(limits);
  /** Resolves when nothing runs or waits any more. */
  let busy: PromiseWithResolvers<void> | undefined;
  let isClosed = false;

  const runNext = (): void => {
    const batch = queue.take(maxItemsPerBatch, maxBytesPerBatch);
    if (batch.length === 0) {
      busy?.resolve();
      busy = undefined;
      return;
    }
    void runBatch(batch).then((settle) => {
      // First, so that the store works while the callers go on.
      runNext();
      settle();
    });
  };

  /** Resolves with a function that settles the callers. */
  const runBatch = async (batch: Queued<Item, Result>[]): Promise<() => void> => {
    const startedAt = performance.now();
    try {
      const results = await run(batch.map(({ item }) => item)).finally(() => {
        metrics?.batchSize.observe(batch.length);
        metrics?.commitSeconds.observe((performance.now() - startedAt) / 1000);
      });
      return () => batch.forEach(({ resolve }, index) => resolve(results[index] as Result));
    } catch (error) {
      // One bad item must not fail the others; a store that is down fails them all.
      if (error instanceof PetstoreError || batch.length === 1)
        return () => batch.forEach(({ reject }) => reject(error));
      for (const one of batch) (await runBatch([one]))();
      return () => {};
    }
  };

  return {
    get length() {
      return queue.length;
    },
    add(item) {
      if (isClosed) return Promise.reject(storeClosing());
      const result = queue.add(item);
      if (!busy) {
        busy = Promise.withResolvers();
        if (startsAfterTurn) setImmediate(runNext);
        else runNext();
      }
      return result;
    },
    async close() {
      isClosed = true;
      await busy?.promise;
    },
  };
}

interface Queued<Item, Result> {
  item: Item;
  size: number;
  since: number;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/** A queue with limits on its length, its size and the time that an item may wait. */
export function createBoundedQueue<Item, Result>(options: QueueOptions<Item>) {
  const { maxLength = 10_000, maxWaitMs, sizeOf = () => 0 } = options;
  const queued: Queued<Item, Result>[] = [];
  let size = 0;
  let timer: Timer | undefined;

  const remove = (count: number): Queued<Item, Result>[] => {
    const removed = queued.splice(0, count);
    for (const each of removed) size -= each.size;
    return removed;
  };

  const refuseLate = (waitMs: number): void => {
    const oldest = performance.now() - waitMs;
    const inTime = queued.findIndex(({ since }) => since > oldest);
    for (const { reject } of remove(inTime === -1 ? queued.length : inTime)) {
      reject(unavailable(new Error(`Waited more than ${waitMs} ms.`)));
    }
    const [first] = queued;
    timer = first && setTimeout(refuseLate, Math.max(0, first.since - oldest), waitMs).unref();
  };

  return {
    get length() {
      return queued.length;
    },
    add: (item: Item): Promise<Result> =>
      new Promise((resolve, reject) => {
        const own = sizeOf(item);
        if (queued.length >= maxLength || size + own > maxBytesWaiting) {
          return reject(new PetstoreError('overloaded', 'Too many requests are waiting. Try again shortly.'));
        }
        queued.push({ item, size: own, since: performance.now(), resolve, reject });
        size += own;
        if (maxWaitMs !== undefined) timer ??= setTimeout(refuseLate, maxWaitMs, maxWaitMs).unref();
      }),
    /** Removes the first items: at least one, and no more once they reach a limit. */
    take(maxCount: number, maxBytes = Infinity) {
      let count = 0;
      for (let bytes = 0; count < Math.min(maxCount, queued.length) && bytes < maxBytes; count++)
        bytes += queued[count]?.size ?? 0;
      return remove(count);
    },
  };
}
