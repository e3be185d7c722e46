import type { QueryResultRow } from 'pg';
import { unavailable } from '../domain/error.ts';
import type { Counter } from '../metrics/registry.ts';
import { OutcomeUnknownError } from './errors.ts';
import { keepPlans, servingTimeouts } from './sessions/config.ts';
import { createLanes, type Lanes } from './sessions/lanes.ts';
import type { Query, Session, Statement, Values } from './sessions/session.ts';
import type { Sessions } from './sessions/sessions.ts';
import { retry, runTransaction } from './sessions/transaction.ts';

/** Runs the store's statements, and handles each kind of failure. */
export interface Sql {
  /** Runs a statement that only reads; repeats it if its session was lost. */
  read<Row extends QueryResultRow>(statement: Statement, values?: Values): Promise<Row[]>;
  /** Runs a read that may take long. These run one at a time on their own session, which is opened on first use. */
  search: Sql['read'];
  /**
   * Runs one transaction. A transaction undone by a collision is repeated, so `work` may run several times. If the
   * outcome is unknown, the error says so and includes this advice.
   */
  write<Result>(work: (query: Query) => Promise<Result>, advice?: string): Promise<Result>;
  close(): Promise<void>;
}

export interface SqlOptions {
  /** How many sessions are for reading. */
  readerCount: number;
  unknownOutcomes?: Counter | undefined;
  /** Receives the outcome of each write; undefined means success. */
  onWritten?: (failure: unknown) => void;
}

export const writerCount = 2;
const maxReadsPerSession = 32;
const transactionTimeouts = { statementsMs: servingTimeouts.silenceMs, commitMs: 3000 };
/** How often to ask the server whether it still works on a late COMMIT. */
const checkEveryMs = 1000;

/** An idle process has sent its response. */
const selectBusy = {
  name: 'select-busy',
  text: "SELECT 1 AS found FROM pg_stat_get_activity($1::integer) WHERE state <> 'idle'",
};

export function createSql(sessions: Sessions, options: SqlOptions): Sql {
  const { readerCount, unknownOutcomes, onWritten } = options;
  const settings = keepPlans;
  const readers = createLanes({
    count: readerCount,
    maxPerSession: maxReadsPerSession,
    open: (onLost) => sessions.open({ onLost, settings }),
  });
  // Searches read many rows, so they are planned for their values and may use every kind of plan.
  const searchers = createLanes({
    count: 1,
    maxPerSession: 1,
    open: (onLost) => sessions.open({ onLost }),
  });
  const writers = createLanes({
    count: writerCount,
    maxPerSession: 1,
    // A session must survive a COMMIT that gets no response.
    open: (onLost) => sessions.open({ onLost, settings, timeouts: { ...servingTimeouts, silenceMs: 0 } }),
  });

  const readOn =
    (lanes: Lanes): Sql['read'] =>
    (statement, values) =>
      retry(() => lanes.run((session) => session.query(statement, values)));
  const read = readOn(readers);

  /**
   * How many writers have a late COMMIT, which may wait for its standby forever. Such a writer stays occupied until it
   * gets its response, and further writes are refused. A hanging standby thus costs the server two sessions, not one
   * per write.
   */
  let lateCount = 0;

  /** The response may have been lost on the way. */
  const endIfSilent = async (session: Session): Promise<void> => {
    const busy = await read(selectBusy, [session.pid]);
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
