import { countsOf, mergeFamilies } from '../metrics/merge.ts';
import type { Family } from '../metrics/registry.ts';

/** Asked of a worker, and what it sends back. */
export const metricsRequest = 'metrics';
export interface MetricsReply {
  metrics: Family[];
}

/** The figures of all workers, summed by their parent. */
export interface WorkerMetrics<Worker> {
  collect(): Promise<Family[]>;
  /** Takes what a worker sent. */
  received(worker: Worker, reply: MetricsReply): void;
  /** The counts of a worker that is gone stay in the sums. */
  ended(worker: Worker): void;
}

/** A worker that does not reply in time counts with its last figures. */
const replyWithinMs = 4000;

export function createWorkerMetrics<Worker>(
  workers: ReadonlySet<Worker>,
  ask: (worker: Worker) => void,
): WorkerMetrics<Worker> {
  const latest = new Map<Worker, Family[]>();
  const awaited = new Map<Worker, PromiseWithResolvers<void>>();
  let gone: Family[] = [];

  const askOnce = (worker: Worker): Promise<void> => {
    const known = awaited.get(worker);
    if (known) return known.promise;
    const reply = Promise.withResolvers<void>();
    awaited.set(worker, reply);
    setTimeout(() => settle(worker, reply), replyWithinMs).unref();
    try {
      ask(worker);
    } catch {
      // It is about to end, and has closed its channel.
      settle(worker, reply);
    }
    return reply.promise;
  };

  const settle = (worker: Worker, reply: PromiseWithResolvers<void> | undefined): void => {
    if (awaited.get(worker) === reply) awaited.delete(worker);
    reply?.resolve();
  };

  return {
    async collect() {
      await Promise.all([...workers].map(askOnce));
      return mergeFamilies([gone, ...latest.values()]);
    },
    received(worker, { metrics }) {
      latest.set(worker, metrics);
      settle(worker, awaited.get(worker));
    },
    ended(worker) {
      gone = mergeFamilies([gone, countsOf(latest.get(worker) ?? [])]);
      latest.delete(worker);
      settle(worker, awaited.get(worker));
    },
  };
}

export function isMetricsReply(message: unknown): message is MetricsReply {
  return typeof message === 'object' && message !== null && 'metrics' in message;
}
