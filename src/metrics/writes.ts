import type { Histogram, Registry } from './registry.ts';

/** What both stores measure about their writes. */
export interface WriteMetrics {
  batchSize: Histogram;
  commitSeconds: Histogram;
}

const batchSizes = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
const commitSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function createWriteMetrics(
  registry: Registry,
  queue: { length: () => number; capacity: number },
): WriteMetrics {
  registry.gauge('petstore_write_queue_depth', 'Writes that wait for their batch.', queue.length);
  registry.gauge(
    'petstore_write_queue_capacity',
    'Writes that may wait before more are refused as overloaded.',
    () => queue.capacity,
  );
  return {
    batchSize: registry
      .histogram('petstore_write_batch_size', 'Writes committed together.', batchSizes)
      .with({}),
    commitSeconds: registry
      .histogram(
        'petstore_commit_duration_seconds',
        'From handing a batch of writes over until its outcome is known.',
        commitSeconds,
      )
      .with({}),
  };
}
