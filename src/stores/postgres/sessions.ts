import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { QueryResultRow } from 'pg';
import { PetstoreError, storeClosing } from '../../domain/error.ts';
import type { Registry } from '../../metrics/registry.ts';
import type { Log } from '../../system/log.ts';
import { createBoundedQueue } from '../batcher.ts';
import type { PostgresAddress } from './address.ts';
import {
  keepPlans,
  limits,
  openSession,
  type Query,
  type Server,
  servingTimeouts,
  type Session,
  SessionLostError,
  type SessionOptions,
  type Statement,
  type Timeouts,
  type Values,
} from './session.ts';
import {
  callerError,
  createTransact,
  isCollision,
  isLost,
  OutcomeUnknownError,
  spoilsSession,
  type Transact,
} from './transaction.ts';

/** Runs the store's statements, and handles each kind of failure. */
export interface Sql {
  /** Runs a statement that only reads; repeats it if its session was lost. */
  read: Query;
  /**
   * Runs a read that may take long. These run one at a time on their own session, which is opened on first use. One whose
   * signal has aborted when its turn comes does not run.
   */
  search: <Row extends QueryResultRow>(
    statement: Statement | string,
    values?: Values,
    signal?: AbortSignal,
  ) => Promise<Row[]>;
  /**
   * Runs one transaction. One that was undone by a collision or a lost session is repeated, so `work` may run several
   * times.
   */
  write: Transact;
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
const maxReadsPerSession = 32;

/** All sessions belong to one server: see {@link createOpen}. */
export function createSql(address: PostgresAddress, options: SqlOptions): Sql {
  const { readerCount, timeouts = servingTimeouts, commitMs = limits.commitMs } = options;
  const { log, metrics } = options;
  const open = createOpen(address, log, metrics);
  const unknownOutcomes = metrics
    ?.counter(
      'petstore_postgres_unknown_outcomes_total',
      'Transactions that may or may not have been committed, because COMMIT got no response.',
    )
    .with({});
  const openReader = (onLost: () => void) => open({ onLost, timeouts, settings: keepPlans });
  const readers = createLanes(openReader, readerCount, maxReadsPerSession);
  // Searches read many rows, so they are planned for their values and may use every kind of plan.
  const openSearcher = (onLost: () => void) => open({ onLost, timeouts });
  const searchers = createLanes(openSearcher, 1);
  // A session must survive a COMMIT that gets no response.
  const lasting = { ...timeouts, silenceMs: 0 };
  const openWriter = (onLost: () => void) => open({ onLost, timeouts: lasting, settings: keepPlans });
  const writers = createLanes(openWriter, writerCount);

  const read: Query = (statement, values) =>
    retry(() => readers.run((session) => session.query(statement, values)));

  const transact = createTransact({
    onSession: (work) => writers.run(work),
    read,
    statementsMs: timeouts.silenceMs,
    commitMs,
  });

  return {
    read,
    search: (statement, values, signal) =>
      retry(() =>
        searchers.run((session) => {
          if (signal?.aborted)
            throw new PetstoreError('overloaded', 'The caller left while the search waited.');
          return session.query(statement, values);
        }),
      ),
    async write(work, advice) {
      try {
        return await retry(() => transact(work, advice));
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

/** Repeats what a collision undid, and what was lost before its commit, if that shows soon. */
async function retry<Result>(run: () => Promise<Result>): Promise<Result> {
  const startedAt = performance.now();
  for (let attempts = 1; ; attempts++) {
    try {
      return await run();
    } catch (error) {
      const isLostEarly = isLost(error) && performance.now() - startedAt < limits.retryMs;
      if (attempts === maxAttempts || !(isCollision(error) || isLostEarly)) throw callerError(error);
    }
    // Wait a random time, so that two that collided do not collide again and lost sessions can be replaced.
    await sleep(Math.random() * 10 * attempts);
  }
}

type Open = (options: Omit<SessionOptions, 'address'>) => Promise<Session>;

/**
 * Opens the sessions of this process. The invariant: **all of them belong to one server**. If a new session reaches a
 * different server, every older one ends.
 */
function createOpen(address: PostgresAddress, log: Log | undefined, metrics: Registry | undefined): Open {
  const sessions = new Set<Session>();
  /** The last server in use. An older one is never used again. */
  let last: Server | undefined;
  const failovers = metrics
    ?.counter('petstore_postgres_failovers_total', 'Changes from one database server to another.')
    .with({});

  /** A server of an earlier timeline lacks what a later one has acknowledged. */
  const refuseOlder = (session: Session): void => {
    const { system, timeline } = session.server;
    if (last?.system !== system || last.timeline <= timeline) return;
    session.destroy();
    throw new Error(
      `The server is of timeline ${timeline}, and timeline ${last.timeline} was used before. ` +
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
    if (last && !isDeepStrictEqual(last, server)) {
      for (const session of sessions) session.destroy();
    }
    last = server;
  };

  return async (options) => {
    const onLost = (): void => {
      sessions.delete(session);
      options.onLost?.();
    };
    const session = await openSession({ ...options, address, onLost });
    refuseOlder(session);
    moveTo(session.server);
    // The session may have been lost in the meantime.
    if (session.isOpen) sessions.add(session);
    return session;
  };
}

/** The pause before the next attempt after a server refused a session. */
const pauseAfterFailureMs = 100;

interface Lane {
  load: number;
  session?: Promise<Session>;
}

/**
 * A few sessions for one kind of work. Each is opened on first use and replaced if it is lost. What finds them all busy
 * waits here, where it can be refused.
 */
function createLanes(open: (onLost: () => void) => Promise<Session>, count: number, maxPerSession = 1) {
  const lanes = Array.from({ length: count }, (): Lane => ({ load: 0 }));
  const waiting = createBoundedQueue<undefined, void>({ maxWaitMs: limits.sessionMs });
  let isClosed = false;

  /** Equally busy lanes take turns. */
  const leastLoaded = (): Lane => {
    const lane = lanes.reduce((least, other) => (other.load < least.load ? other : least));
    if (count > 1) lanes.push(...lanes.splice(lanes.indexOf(lane), 1));
    return lane;
  };

  const openOn = (lane: Lane): Promise<Session> => {
    const forget = (): void => {
      if (lane.session === session) delete lane.session;
    };
    const session = open(forget).catch((error: unknown) => {
      setTimeout(forget, pauseAfterFailureMs);
      throw new SessionLostError(error);
    });
    lane.session = session;
    return session;
  };

  return {
    /**
     * Waits for a session with room; fails with a `PetstoreError` if there is none in time, and with a
     * `SessionLostError` if none can be opened. Ends a spoilt session.
     */
    async run<Result>(work: (session: Session) => Promise<Result>): Promise<Result> {
      let lane = leastLoaded();
      while (lane.load >= maxPerSession) {
        await waiting.add(undefined);
        lane = leastLoaded();
      }
      if (isClosed) throw storeClosing();
      lane.load += 1;
      let session: Session | undefined;
      try {
        session = await (lane.session ?? openOn(lane));
        return await work(session);
      } catch (error) {
        if (spoilsSession(error)) session?.destroy();
        throw error;
      } finally {
        lane.load -= 1;
        waiting.take(1)[0]?.resolve();
      }
    },
    async close(): Promise<void> {
      isClosed = true;
      const closing = lanes.map(async (lane) => (await lane.session?.catch(() => undefined))?.close());
      await Promise.all(closing);
    },
  };
}
