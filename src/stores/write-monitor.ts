import { isUnavailable } from '../domain/error.ts';
import type { Registry } from '../metrics/registry.ts';
import { type Log, reasonOf } from '../system/log.ts';

/** What a service reports about its writes, on either engine. */
export interface WriteMonitor {
  /** Records the outcome of a batch. Without an error, it succeeded. */
  note(batch: { count: number; seconds: number; error?: unknown }): void;
  /** True from a write that fails because of the store until one succeeds. */
  readonly isFailing: boolean;
}

const batchSizes = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
const commitSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function createWriteMonitor(
  queue: { length: () => number; capacity: number },
  { log, metrics }: { log?: Log | undefined; metrics?: Registry | undefined },
): WriteMonitor {
  let isFailing = false;
  metrics?.gauge('petstore_write_queue_depth', 'Writes that wait for their batch.', queue.length);
  metrics?.gauge(
    'petstore_write_queue_capacity',
    'Writes that may wait before more are refused as overloaded.',
    () => queue.capacity,
  );
  metrics?.gauge(
    'petstore_writes_failing',
    'Whether the last write failed because of the store: 1 until one succeeds.',
    () => Number(isFailing),
  );
  const batchSize = metrics
    ?.histogram('petstore_write_batch_size', 'Writes committed together.', batchSizes)
    .with({});
  const duration = metrics
    ?.histogram(
      'petstore_commit_duration_seconds',
      'From handing a batch of writes over until its outcome is known.',
      commitSeconds,
    )
    .with({});
  return {
    note({ count, seconds, error }) {
      batchSize?.observe(count);
      duration?.observe(seconds);
      // Any other error is a bug of ours, and says nothing about the store.
      const hasFailed = isUnavailable(error);
      if (error !== undefined && !hasFailed) return;
      if (hasFailed && !isFailing) log?.error('writes fail', { reason: reasonOf(error) });
      if (!hasFailed && isFailing) log?.info('writes succeed again');
      isFailing = hasFailed;
    },
    get isFailing() {
      return isFailing;
    },
  };
}
