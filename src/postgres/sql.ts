import { setTimeout as sleep } from 'node:timers/promises';
import type { QueryResultRow } from 'pg';
import { unavailable } from '../domain/error.ts';
import type { Counter } from '../metrics/registry.ts';
import { isIdTaken, isLost, isRetryable, OutcomeUnknownError, translateError } from './errors.ts';
import { keepPlans, servingTimeouts } from './sessions/config.ts';
import { createLanes, type Lanes } from './sessions/lanes.ts';
import type { Query, Statement, Values } from './sessions/statement.ts';
import type { Session } from './sessions/session.ts';
import type { Sessions } from './sessions/sessions.ts';
import { runTransaction } from './sessions/transaction.ts';

/** What the store says to the database, and what a failure of each kind means. */
export interface Sql {
  /** Runs a statement that changes nothing; again when its session was lost on the way. */
  read<Row extends QueryResultRow>(statement: Statement, values?: Values): Promise<Row[]>;
  /** Runs a read that may take long, one at a time, on a session of its own, which is opened for the first one. */
  search: Sql['read'];
  /**
   * Runs one transaction. It is repeated when it is known to be undone for another's sake, so `work` may run several
   * times. When its outcome is unknown, the error says so, with this advice.
   */
  write<Result>(work: (query: Query) => Promise<Result>, advice?: string): Promise<Result>;
  close(): Promise<void>;
}

export interface SqlOptions {
  /** How many sessions read. */
  readerCount: number;
  unknownOutcomes?: Counter | undefined;
  /** Told how each write ended; undefined stands for success. */
  onWritten?: (failure: unknown) => void;
}

export const writerCount = 2;
const maxReadsPerSession = 32;
const maxAttempts = 10;
/** What was lost after this long is not tried again: its caller is about to give up. */
const retryWithinMs = 1000;
const transactionTimeouts = { statementsMs: servingTimeouts.silenceMs, commitMs: 3000 };
/** How often the server is asked whether it still works on a COMMIT that hangs. */
const checkEveryMs = 1000;

/** One that is idle has sent its response. The time of its start tells a process from a later one with the same number. */
const selectBusyBackend = {
  name: 'select-busy-backend',
  text: `SELECT 1 AS found FROM pg_stat_get_activity($1::integer)
    WHERE backend_start::text = $2 AND state <> 'idle'`,
};

export function createSql(sessions: Sessions, options: SqlOptions): Sql {
  const { readerCount, unknownOutcomes, onWritten } = options;
  const settings = keepPlans;
  const readers = createLanes({
    count: readerCount,
    maxPerSession: maxReadsPerSession,
    open: (onLost) => sessions.open({ onLost, settings }),
  });
  // Its statements read many rows, so they are planned for their values, and with every kind of plan.
  const searchers = createLanes({
    count: 1,
    maxPerSession: 1,
    open: (onLost) => sessions.open({ onLost }),
  });
  const writers = createLanes({
    count: writerCount,
    maxPerSession: 1,
    // A session whose COMMIT gets no response must live on.
    open: (onLost) => sessions.open({ onLost, settings, timeouts: { ...servingTimeouts, silenceMs: 0 } }),
  });

  const readOn =
    (lanes: Lanes): Sql['read'] =>
    (statement, values) =>
      retry(() => lanes.run((session) => session.query(statement, values)));
  const read = readOn(readers);

  /**
   * How many writers have a COMMIT that hangs: it may wait for its standby for ever. Such a writer stays taken until it
   * gets its response, and others are refused. So a standby that hangs costs the server two sessions, and not one for
   * every write.
   */
  let lateCount = 0;

  /** The response may have been lost on its way. */
  const endIfSilent = async (session: Session): Promise<void> => {
    const { pid, startedAt } = session.backend;
    const busy = await read(selectBusyBackend, [pid, startedAt]);
    if (busy.length === 0) session.destroy();
  };

  const writeOnce = <Result>(
    work: (query: Query) => Promise<Result>,
    advice: string | undefined,
  ): Promise<Result> => {
    if (lateCount > 0) throw unavailable(new Error('An earlier write is still under way.'));
    const { promise: isLate, reject } = Promise.withResolvers<never>();
    const transaction = writers.run(async (session) => {
      let checks: Timer | undefined;
      const onLate = (): void => {
        reject(new OutcomeUnknownError(new Error('COMMIT hangs.'), advice));
        lateCount += 1;
        checks = setInterval(() => void endIfSilent(session).catch(() => {}), checkEveryMs);
      };
      try {
        return await runTransaction(session, work, { ...transactionTimeouts, advice, onLate });
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
      await Promise.all([readers, searchers, writers].map((lanes) => lanes.close()));
    },
  };
}

/** Tries again what was undone for another's sake, and what was lost before it was committed, if that shows soon. */
async function retry<Result>(attempt: () => Promise<Result>): Promise<Result> {
  const startedAt = performance.now();
  for (let attempts = 1; attempts < maxAttempts; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      const collided = isRetryable(error) || isIdTaken(error);
      const isLostEarly = isLost(error) && performance.now() - startedAt < retryWithinMs;
      if (!collided && !isLostEarly) throw translateError(error);
    }
    // Two that collided must not collide again, and what ended one session has often ended the others.
    await sleep(Math.random() * 10 * attempts);
  }
  return attempt().catch((error: unknown) => {
    throw translateError(error);
  });
}
