import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { OutcomeUnknownError } from '../../domain/error.ts';
import type { Registry } from '../../metrics/registry.ts';
import type { Log } from '../../system/log.ts';
import type { PostgresAddress } from './address.ts';
import { createPool, type SessionPool } from './pool.ts';
import { callerError, isCollision, isLost } from './errors.ts';
import {
  keepPlans,
  limits,
  type Send,
  type Server,
  servingTimeouts,
  type Session,
  type Timeouts,
} from './session.ts';
import { transact } from './transaction.ts';

/** Runs the store's statements, and handles each kind of failure. */
export interface Sql {
  /** Runs a statement that only reads; repeats it if its session was lost. */
  read: Send;
  /** Like `read`, but on a session of its own, which is opened on first use: a search may take long. */
  search: Send;
  /**
   * Runs one transaction, and repeats it if a collision or a lost session undid it. So `work` may run several times.
   */
  write<Result>(work: (send: Send) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

export interface SqlOptions {
  /** How many sessions are for reading. */
  readerCount: number;
  timeouts?: Timeouts;
  commitMs?: number;
  /** Records the server in use and every change of it. */
  log?: Log | undefined;
  metrics?: Registry | undefined;
}

export const writerCount = 2;

/** All sessions belong to one server: see {@link createServerCheck}. */
export function createSql(address: PostgresAddress, options: SqlOptions): Sql {
  const { readerCount, timeouts = servingTimeouts, commitMs = limits.commitMs } = options;
  const { log, metrics } = options;
  const unknownOutcomes = metrics
    ?.counter(
      'petstore_postgres_unknown_outcomes_total',
      'Transactions that may or may not have been committed, because COMMIT got no response.',
    )
    .with({});
  const common = { address, onBegin: createServerCheck(address, log, metrics) };
  const readers = createPool({ ...common, size: readerCount, timeouts, settings: keepPlans });
  // Searches read many rows, so they are planned for their values and may use every kind of plan.
  const searchers = createPool({ ...common, size: 1, timeouts });
  // A session must survive a COMMIT that gets no response.
  const lasting = { ...timeouts, silenceMs: 0 };
  const writers = createPool({ ...common, size: writerCount, timeouts: lasting, settings: keepPlans });

  const sendOn =
    (pool: SessionPool): Send =>
    (statement, values) =>
      retry(() => pool.run((session) => session.send(statement, values)));

  const transactionLimits = { statementsMs: timeouts.silenceMs, commitMs };

  return {
    read: sendOn(readers),
    search: sendOn(searchers),
    async write(work) {
      try {
        return await retry(() => transact(writers, work, transactionLimits));
      } catch (error) {
        if (error instanceof OutcomeUnknownError) unknownOutcomes?.increment();
        throw error;
      }
    },
    async close() {
      await Promise.all([readers, searchers, writers].map((each) => each.close()));
    },
  };
}

const maxAttempts = 10;
/** Long enough to spare a server that refuses sessions, and short enough for several attempts. */
const pauseAfterLossMs = 100;

/** Repeats work that was undone by a collision, or that lost its session soon after it began. */
async function retry<Result>(run: () => Promise<Result>): Promise<Result> {
  const startedAt = performance.now();
  for (let attempts = 1; ; attempts++) {
    try {
      return await run();
    } catch (error) {
      const isLostEarly = isLost(error) && performance.now() - startedAt < limits.retryMs;
      if (attempts === maxAttempts || !(isCollision(error) || isLostEarly)) throw callerError(error);
      // A random time, so that the same two do not collide again.
      const pauseMs = isLostEarly && attempts > 1 ? pauseAfterLossMs : Math.random() * 10 * attempts;
      await sleep(pauseMs);
    }
  }
}

/**
 * Checks each new session of this process. The invariant: **all of them belong to one server**. If a new session reaches
 * a different server, every older one ends.
 */
function createServerCheck(
  address: PostgresAddress,
  log?: Log,
  metrics?: Registry,
): (session: Session) => void {
  const sessions = new Set<Session>();
  /** The last server in use. An older one is never used again. */
  let last: Server | undefined;
  const failovers = metrics
    ?.counter('petstore_postgres_failovers_total', 'Changes from one database server to another.')
    .with({});

  /** A server of an earlier timeline lacks what a later one has acknowledged. */
  const refuseOlder = ({ system, timeline }: Server): void => {
    if (last?.system !== system || last.timeline <= timeline) return;
    throw new Error(
      `The server is on timeline ${timeline}, but the service has used timeline ${last.timeline}. ` +
        'If it was restored from a backup, restart the service.',
    );
  };

  const moveTo = (server: Server): void => {
    const { system, timeline } = server;
    const fields = { server: `${address.host}:${address.port}`, system, timeline };
    if (!last) log?.info('using database server', fields);
    else if (last.system !== system || last.timeline !== timeline) {
      failovers?.increment();
      log?.warn('The database server has changed.', fields);
    }
    if (last && !isDeepStrictEqual(last, server)) for (const session of sessions) session.destroy();
    last = server;
  };

  return (session) => {
    refuseOlder(session.server);
    moveTo(session.server);
    sessions.add(session);
    void session.ended.then(() => sessions.delete(session));
  };
}
