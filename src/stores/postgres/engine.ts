import { type Change, type Outcome, subjectOf, type TimedChange } from '../../domain/change.ts';
import type { Registry } from '../../metrics/registry.ts';
import type { Log } from '../../system/log.ts';
import { applyBatch, deleteExpired } from '../apply.ts';
import { type Batcher, createBatcher } from '../batcher.ts';
import type { Engine } from '../statement.ts';
import { createWriteMonitor } from '../write-monitor.ts';
import { createReader } from './reader.ts';
import { limits } from './session.ts';
import type { Sql } from './sql.ts';
import { dialect } from './statements.ts';
import { createTx } from './tx.ts';

interface EngineOptions {
  now: () => number;
  /** How many changes of a kind may wait. */
  maxQueued: number;
  log: Log | undefined;
  metrics: Registry | undefined;
}

export function createEngine(sql: Sql, options: EngineOptions): Engine {
  const { apply, areWritesFailing, close } = createQueues(sql, options);
  return {
    ...createReader(sql),
    dialect,
    // Undefined, because asking the server would take as long as reading a page.
    version: () => undefined,
    areWritesFailing,
    apply,
    checkEventsEveryMs: 250,
    async close() {
      await close();
      await sql.close();
    },
  };
}

/** `close` refuses new changes and waits for the pending ones. */
function createQueues(sql: Sql, { now, maxQueued, log, metrics }: EngineOptions) {
  const monitor = createWriteMonitor(
    {
      // The longest queue is the first to refuse.
      length: (): number => Math.max(...queues.map(({ length }) => length)),
      capacity: maxQueued,
    },
    { log, metrics },
  );
  const expire = createExpiry(sql, now);
  const createQueue = (): Batcher<TimedChange, Outcome> =>
    createBatcher((batch) => sql.write((send) => applyBatch(createTx(send), batch)).finally(expire), {
      maxLength: maxQueued,
      maxWaitMs: limits.queueMs,
      monitor,
    });
  // Separate queues: a create must not wait for a locked pet, nor a sale for the categories, nor a revocation for either.
  const creates = createQueue();
  const others = { pet: createQueue(), category: createQueue(), key: createQueue() };
  const queues = [creates, ...Object.values(others)];
  const queueOf = (change: Change) => (change.kind === 'create-pet' ? creates : others[subjectOf(change)]);
  return {
    apply: (change: Change) => queueOf(change).add({ ...change, at: now() }),
    areWritesFailing: () => monitor.isFailing,
    close: async () => {
      await Promise.all(queues.map((queue) => queue.close()));
    },
  };
}

const deletedAtOnce = 1000;
const expireEveryMs = 60_000;

/**
 * Returns a function to call after each write, which deletes expired rows once a minute. The write itself would have to
 * scan past every row deleted since the oldest open transaction of the server began.
 */
function createExpiry(sql: Sql, now: () => number): () => void {
  let nextAt = now() + expireEveryMs;
  const expire = async (): Promise<void> => {
    const time = now();
    for (let count = deletedAtOnce; count === deletedAtOnce;)
      count = await sql.write((send) => deleteExpired(createTx(send), time, deletedAtOnce));
  };
  return () => {
    if (now() < nextAt) return;
    nextAt = now() + expireEveryMs;
    // After a failure, the next run deletes the rest.
    expire().catch(() => {});
  };
}
