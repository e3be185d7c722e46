import { isUnavailable, PetstoreError, storeClosing, unavailable } from '../domain/error.ts';
import type { InputRow, Reader, Statement } from './statement.ts';
import type { WriteMonitor } from './write-monitor.ts';

/** Collects items into batches: while one batch runs, the next one is collected. */
export interface Batcher<Item, Result> {
  /** Fails with `overloaded` if too much waits, and with `unavailable` if the wait takes too long. */
  add(item: Item): Promise<Result>;
  /** Refuses new items and waits for the pending ones. */
  close(): Promise<void>;
  /** How many items wait for their batch. */
  readonly length: number;
}

export interface BatcherOptions {
  /** Waits for the end of the turn before it starts, so that all items of a turn share a batch. */
  startsAfterTurn?: boolean;
  /** For batches of writes. */
  monitor?: WriteMonitor;
  maxLength?: number;
  /** How long an item may wait. By default, as long as it takes. */
  maxWaitMs?: number;
  /** 1,000 by default. */
  maxPerBatch?: number;
}

/** How many items may wait, unless the options say otherwise. */
export const defaultMaxLength = 10_000;

/** `run` returns results in the order of the items. If it fails, it has done nothing, unless the store is down. */
export function createBatcher<Item, Result>(
  run: (items: Item[]) => Promise<Result[]>,
  options: BatcherOptions = {},
): Batcher<Item, Result> {
  const { startsAfterTurn = false, monitor } = options;
  const queue = createBoundedQueue<Item, Result>(options);
  /** Resolves when nothing runs or waits any more. */
  let busy: PromiseWithResolvers<void> | undefined;
  let isClosed = false;

  const runNext = (): void => {
    const batch = queue.takeBatch();
    if (batch.length === 0) {
      busy?.resolve();
      busy = undefined;
      return;
    }
    void runBatch(batch).then((settle) => {
      // Start it first, so that the store is busy while the callers go on.
      runNext();
      settle();
    });
  };

  /** Resolves with a function that settles the callers. */
  const runBatch = async (batch: Queued<Item, Result>[]): Promise<() => void> => {
    const startedAt = performance.now();
    const note = (error?: unknown): void =>
      monitor?.note({ count: batch.length, seconds: (performance.now() - startedAt) / 1000, error });
    try {
      const results = await run(batch.map(({ item }) => item));
      note();
      return () => batch.forEach(({ resolve }, index) => resolve(results[index] as Result));
    } catch (error) {
      note(error);
      // One bad item must not fail the others; a store that is down fails them all.
      if (batch.length === 1 || isUnavailable(error))
        return () => batch.forEach(({ reject }) => reject(error));
      // Retry in halves: one by one would keep everything behind them waiting.
      const middle = Math.ceil(batch.length / 2);
      (await runBatch(batch.slice(0, middle)))();
      return runBatch(batch.slice(middle));
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
  since: number;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/** A queue with limits on its length and the time that an item may wait. */
function createBoundedQueue<Item, Result>(options: BatcherOptions) {
  const { maxLength = defaultMaxLength, maxWaitMs, maxPerBatch = 1000 } = options;
  const queued: Queued<Item, Result>[] = [];
  let timer: Timer | undefined;

  const refuseLate = (waitMs: number): void => {
    const oldest = performance.now() - waitMs;
    const inTime = queued.findIndex(({ since }) => since > oldest);
    for (const { reject } of queued.splice(0, inTime === -1 ? queued.length : inTime))
      reject(unavailable(new Error(`Waited more than ${waitMs} ms.`)));
    const [first] = queued;
    timer = first && setTimeout(refuseLate, Math.max(0, first.since - oldest), waitMs).unref();
  };

  return {
    get length() {
      return queued.length;
    },
    add: (item: Item): Promise<Result> =>
      new Promise((resolve, reject) => {
        if (queued.length >= maxLength)
          return reject(new PetstoreError('overloaded', 'Too many requests are waiting. Try again shortly.'));
        queued.push({ item, since: performance.now(), resolve, reject });
        if (maxWaitMs !== undefined) timer ??= setTimeout(refuseLate, maxWaitMs, maxWaitMs).unref();
      }),
    takeBatch: () => queued.splice(0, maxPerBatch),
  };
}

/** A search among a million pets takes a fraction of a second; with a longer queue, its last callers would give up. */
const scanLimits = { maxLength: 32, maxWaitMs: 3000, maxPerBatch: 1 };

/** Runs scans one at a time, because each may read every row. `close` waits for all of them. */
export function createScanner(
  run: (statement: Statement, values: InputRow) => Promise<unknown[]>,
): Pick<Reader, 'scan'> & { close(): Promise<void> } {
  const queue = createBatcher(
    (scans: (() => Promise<unknown[]>)[]) => Promise.all(scans.map((scan) => scan())),
    scanLimits,
  );
  return {
    scan: async <Row>(statement: Statement, values: InputRow, signal?: AbortSignal) => {
      const rows = await queue.add(async () => {
        if (signal?.aborted)
          throw new PetstoreError('overloaded', 'The caller left while the search waited.');
        return run(statement, values);
      });
      return rows as Row[];
    },
    close: () => queue.close(),
  };
}
