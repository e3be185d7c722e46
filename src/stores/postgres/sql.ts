import { setTimeout as sleep } from 'node:timers/promises';
import type { QueryResultRow } from 'pg';
import { unavailable } from '../../domain/error.ts';
import type { Registry } from '../../metrics/registry.ts';
import { isCollision, isLost, OutcomeUnknownError, translateError } from './errors.ts';
import { keepPlans, servingTimeouts, type DriverOptions, type Timeouts } from './sessions/config.ts';
import { createLanes, type Lanes } from './sessions/lanes.ts';
import type { Query, Session, Statement, Values } from './sessions/session.ts';
import type { Sessions } from './sessions/sessions.ts';
import { runTransaction } from './sessions/transaction.ts';

/** Runs the store's statements, and handles each kind of failure. */
export interface Sql {
  /** Runs a statement that only reads; repeats it if its session was lost. */
  read<Row extends QueryResultRow>(statement: Statement | string, values?: Values): Promise<Row[]>;
  /** Runs a read that may take long. These run one at a time on their own session, which is opened on first use. */
  search: Sql['read'];
  /**
   * Runs one transaction. One that was undone by a collision or a lost session is repeated, so `work` may run several
   * times. If the outcome is unknown, the error says so and includes this advice.
   */
  write<Result>(work: (query: Query) => Promise<Result>, advice?: string): Promise<Result>;
  close(): Promise<void>;
}

export interface SqlOptions {
  /** How many sessions are for reading. */
  readerCount: number;
  timeouts?: Timeouts;
  /** A COMMIT that takes longer has an unknown outcome. */
  commitMs?: number;
  metrics?: Registry | undefined;
  /** Receives the outcome of each write; undefined means success. */
  onWritten?: (failure: unknown) => void;
}

export const writerCount = 2;
const maxReadsPerSession = 32;
/** How often to ask the server whether it still works on a late COMMIT. */
const checkEveryMs = 1000;

/** An idle process has sent its response. */
const selectBusy = {
  name: 'select-busy',
  text: "SELECT 1 AS found FROM pg_stat_get_activity($1::integer) WHERE state <> 'idle'",
};

export function createSql(sessions: Sessions, options: SqlOptions): Sql {
  const { readerCount, timeouts = servingTimeouts, commitMs = 3000, metrics, onWritten } = options;
  const unknownOutcomes = metrics
    ?.counter(
      'petstore_postgres_unknown_outcomes_total',
      'Transactions that may or may not have been committed, because COMMIT got no response.',
    )
    .with({});
  const lanes = (count: number, maxPerSession: number, more: Omit<DriverOptions, 'address'>): Lanes =>
    createLanes({ count, maxPerSession, open: (onLost) => sessions.open({ onLost, timeouts, ...more }) });
  const readers = lanes(readerCount, maxReadsPerSession, { settings: keepPlans });
  // Searches read many rows, so they are planned for their values and may use every kind of plan.
  const searchers = lanes(1, 1, {});
  // A session must survive a COMMIT that gets no response.
  const lasting = { ...timeouts, silenceMs: 0 };
  const writers = lanes(writerCount, 1, { settings: keepPlans, timeouts: lasting });

  const readOn =
    (some: Lanes): Sql['read'] =>
    (statement, values) =>
      retry(() => some.run((session) => session.query(statement, values)));
  const read = readOn(readers);

  /** The response may have been lost on the way. */
  const endIfSilent = async (session: Session): Promise<void> => {
    const busy = await read(selectBusy, [session.pid]);
    if (busy.length === 0) session.destroy();
  };

  /**
   * How many writers have a late COMMIT, which may wait for its standby forever. Such a writer stays occupied until it
   * gets its response, and further writes are refused. A hanging standby thus costs the server two sessions, not one
   * per write.
   */
  let lateCount = 0;

  const writeOnce: Sql['write'] = (work, advice) => {
    if (lateCount > 0) throw unavailable(new Error('An earlier write is still under way.'));
    const { promise: isLate, reject } = Promise.withResolvers<never>();
    const transaction = writers.run(async (session) => {
      let checks: Timer | undefined;
      const onLate = (): void => {
        if (checks) return;
        reject(new OutcomeUnknownError(new Error('COMMIT hangs.'), advice));
        lateCount += 1;
        checks = setInterval(() => void endIfSilent(session).catch(() => {}), checkEveryMs);
      };
      try {
        return await runTransaction(session, work, {
          statementsMs: timeouts.silenceMs,
          commitMs,
          advice,
          onLate,
        });
      } finally {
        if (checks) lateCount -= 1;
        clearInterval(checks);
      }
    });
    return Promise.race([transaction, isLate]);
  };

  return {
    read,
    search: readOn(searchers),
    async write(work, advice) {
      try {
        const result = await retry(() => writeOnce(work, advice));
        onWritten?.(undefined);
        return result;
      } catch (error) {
        if (error instanceof OutcomeUnknownError) unknownOutcomes?.increment();
        onWritten?.(error);
        throw error;
      }
    },
    async close() {
      await Promise.all([readers, searchers, writers].map((each) => each.close()));
    },
  };
}

const maxAttempts = 10;
/** What was lost after this long is not repeated, because its caller is about to give up. */
const retryWithinMs = 1000;

/** Repeats what a collision undid, and what was lost before its commit, if that shows soon. Translates other errors. */
async function retry<Result>(attempt: () => Promise<Result>): Promise<Result> {
  const startedAt = performance.now();
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      const isLostEarly = isLost(error) && performance.now() - startedAt < retryWithinMs;
      if (attempts === maxAttempts || !(isCollision(error) || isLostEarly)) throw translateError(error);
    }
    // Wait a random time, so that two that collided do not collide again and lost sessions can be replaced.
    await sleep(Math.random() * 10 * attempts);
  }
}
