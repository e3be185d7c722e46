import { type Change, type Outcome, subjectOf, type TimedChange } from '../../domain/change.ts';
import { int64Range } from '../../domain/int64.ts';
import type { Registry } from '../../metrics/registry.ts';
import type { Log } from '../../system/log.ts';
import { applyBatch, deleteExpired } from '../apply.ts';
import { type Batcher, createBatcher } from '../batcher.ts';
import { createScanner } from '../scans.ts';
import type { Engine, InputRow, Reader, Statement, Tx } from '../statement.ts';
import { createWriteMonitor } from '../write-monitor.ts';
import { limits, type Send } from './session.ts';
import type { Sql } from './sql.ts';
import {
  arraysOf,
  dialect,
  parameterOf,
  prepareForReads,
  prepareForRows,
  prepareForScan,
} from './statements.ts';

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

/** The statements of a transaction. */
export function createTx(send: Send): Tx {
  return {
    each<Row>(statement: Statement, rows: readonly InputRow[]) {
      if (rows.length === 0) return [];
      // Return this very promise: a failure of one derived from it could go unhandled.
      return send(prepareForRows(statement), arraysOf(statement, rows)) as Promise<Row[]>;
    },
    async draw(table, count) {
      if (count === 0) return [];
      const [row] = await send<{ ids: string | null }>(drawFrom(sequences[table]), [count]);
      return row?.ids?.split(' ').map(BigInt) ?? [];
    },
    lock: (what) => void send(locks[what]),
  };
}

export const sequences = { pets: 'pet_ids', orders: 'order_ids', api_keys: 'api_key_ids' } as const;

/** Near the end of a sequence, draws fewer ids: `nextval` would fail there and undo the transaction. */
function drawFrom(sequence: string) {
  const remaining = `${int64Range.largest} - coalesce(pg_catalog.pg_sequence_last_value('${sequence}'), 0)`;
  return {
    name: `draw-${sequence}`,
    text: `SELECT string_agg(pg_catalog.nextval('${sequence}')::text, ' ') AS ids
      FROM generate_series(1, least($1::bigint, ${remaining}))`,
  };
}

/** "even" in ASCII. */
const eventLock = 0x6576656e;
const locks = {
  // All of them, because a number without a name has no row to lock. Others may still read.
  categories: 'LOCK TABLE categories IN SHARE ROW EXCLUSIVE MODE',
  events: { name: 'lock-events', text: `SELECT pg_advisory_xact_lock(${eventLock})` },
};

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

interface Read {
  key: string;
  values: InputRow;
  resultOf: (rows: never[]) => unknown;
}

/**
 * Reads by an index: all that wait with one statement become one query, and equal ones share their result. A read joins
 * only a query that has not been sent, so the result is as fresh as that of its own query would be.
 */
export function createReader(sql: Pick<Sql, 'read' | 'search'>): Reader {
  const batches = new WeakMap<Statement, (read: Read) => Promise<unknown>>();

  const createBatches = (statement: Statement) => {
    const size = Object.keys(statement.input).indexOf('size');
    const prepared = prepareForReads(statement);
    /** By key; undefined while a read is being added. */
    const waiting = new Map<string, Promise<unknown> | undefined>();
    const leave = ({ key }: Read): void => void waiting.delete(key);

    const runBatch = async (reads: Read[]): Promise<unknown[]> => {
      reads.forEach(leave);
      const rows = await sql.read<{ place: number }>(
        prepared,
        arraysOf(
          statement,
          reads.map(({ values }) => values),
        ),
      );
      const byPlace = Map.groupBy(rows, ({ place }) => place);
      return reads.map(({ resultOf }, index) => resultOf((byPlace.get(index + 1) ?? []) as never[]));
    };

    const batcher = createBatcher(runBatch, {
      maxWaitMs: limits.queueMs,
      onRefused: leave,
      ...(size !== -1 && { rowsOf: ({ values }: Read) => Number(values[size]) + 1 }),
    });

    return (read: Read): Promise<unknown> => {
      const equal = waiting.get(read.key);
      if (equal) return equal;
      waiting.set(read.key, undefined);
      const result = batcher.add(read);
      // It may have been sent at once, or refused.
      if (waiting.has(read.key)) waiting.set(read.key, result);
      return result;
    };
  };

  return {
    read<Result>(statement: Statement, values: InputRow, resultOf: (rows: never[]) => Result) {
      let read = batches.get(statement);
      if (!read) batches.set(statement, (read = createBatches(statement)));
      return read({ key: values.join('\0'), values, resultOf }) as Promise<Result>;
    },
    scan: createScanner((statement, values) => sql.search(prepareForScan(statement), values.map(parameterOf)))
      .scan,
  };
}
