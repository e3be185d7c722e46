import { type Outcome, subjectOf, type TimedChange } from '../../domain/change.ts';
import { applyBatch, deleteExpired } from '../apply.ts';
import { type Batcher, createBatcher, defaultMaxLength } from '../batcher.ts';
import type { StoreOptions } from '../create-store.ts';
import type { Engine } from '../statement.ts';
import { createWriteMonitor } from '../write-monitor.ts';
import { createReader } from './reader.ts';
import { limits } from './session.ts';
import type { Sql } from './sql.ts';
import { dialect } from './statements.ts';
import { createTx } from './tx.ts';

type EngineOptions = Pick<StoreOptions, 'maxQueuedWrites' | 'log' | 'metrics'>;

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
function createQueues(sql: Sql, { maxQueuedWrites = defaultMaxLength, log, metrics }: EngineOptions) {
  const monitor = createWriteMonitor(
    {
      // The longest queue is the first to refuse.
      length: (): number => Math.max(...queues.map(({ length }) => length)),
      capacity: maxQueuedWrites,
    },
    { log, metrics },
  );
  const expire = createExpiry(sql);
  const commit = async (batch: TimedChange[]): Promise<Outcome[]> => {
    const outcomes = await sql.write((send) => applyBatch(createTx(send), batch));
    expire(batch.at(-1)?.at ?? 0);
    return outcomes;
  };
  const createQueue = (): Batcher<TimedChange, Outcome> =>
    createBatcher(commit, {
      maxLength: maxQueuedWrites,
      maxWaitMs: limits.queueMs,
      monitor,
    });
  // Separate queues: a create must not wait for a locked pet, nor a sale for the categories, nor a revocation for either.
  const creates = createQueue();
  const others = { pet: createQueue(), category: createQueue(), key: createQueue() };
  const queues = [creates, ...Object.values(others)];
  const queueOf = (change: TimedChange) =>
    change.kind === 'create-pet' ? creates : others[subjectOf(change)];
  return {
    apply: (change: TimedChange) => queueOf(change).add(change),
    areWritesFailing: () => monitor.isFailing,
    close: async () => {
      await Promise.all(queues.map((queue) => queue.close()));
    },
  };
}

const deletedAtOnce = 1000;
const expireEveryMs = 60_000;

/**
 * Returns a function to call after each batch with its time. It deletes expired rows once a minute. The batch itself would
 * have to scan past every row deleted since the oldest open transaction of the server began.
 */
function createExpiry(sql: Sql): (at: number) => void {
  let nextAt: number | undefined;
  const expire = async (at: number): Promise<void> => {
    for (let count = deletedAtOnce; count === deletedAtOnce;)
      count = await sql.write((send) => deleteExpired(createTx(send), at, deletedAtOnce));
  };
  return (at) => {
    nextAt ??= at + expireEveryMs;
    if (at < nextAt) return;
    nextAt = at + expireEveryMs;
    // After a failure, the next run deletes the rest.
    expire(at).catch(() => {});
  };
}
