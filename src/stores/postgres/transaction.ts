import { DatabaseError } from 'pg';
import { idsUsedUp, PetstoreError, unavailable } from '../../domain/error.ts';
import { type Query, type Session, SessionLostError, stateOf } from './session.ts';

/** Runs one transaction. If its outcome is unknown, the error says so and includes this advice. */
export type Transact = <Result>(work: (query: Query) => Promise<Result>, advice?: string) => Promise<Result>;

export interface TransactionOptions {
  /** Runs work on a session that nobody else uses until the work ends. */
  onSession: <Result>(work: (session: Session) => Promise<Result>) => Promise<Result>;
  /** Reads on another session. */
  read: Query;
  /** The time limit for the statements that `work` awaits. */
  statementsMs: number;
  /** The time limit for COMMIT, and before that for the statements that travel with it. */
  commitMs: number;
}

/** How often to ask the server whether it still works on a late COMMIT. */
const checkEveryMs = 1000;

/** If the process is idle, its response was sent and lost. */
const selectBusy = {
  name: 'select-busy',
  text: "SELECT 1 AS found FROM pg_stat_get_activity($1::integer) WHERE state <> 'idle'",
};

/**
 * Tells the caller of a late COMMIT that its outcome is unknown, and keeps its session until the response is there: if we
 * ended it, its changes would be seen without their standby. A standby that hangs costs the server two sessions, because
 * further writes wait for one of the two in vain.
 */
export function createTransact({ onSession, read, ...limits }: TransactionOptions): Transact {
  const endIfSilent = async (session: Session): Promise<void> => {
    const busy = await read(selectBusy, [session.pid]);
    if (busy.length === 0) session.destroy();
  };

  return <Result>(work: (query: Query) => Promise<Result>, advice?: string) => {
    const lateness = Promise.withResolvers<never>();
    const outcome = onSession(async (session) => {
      let checks: Timer | undefined;
      const onLate = (): void => {
        lateness.reject(new OutcomeUnknownError(new Error('COMMIT hangs.'), advice));
        checks ??= setInterval(() => void endIfSilent(session).catch(() => {}), checkEveryMs);
      };
      try {
        return await runTransaction(session, work, { ...limits, advice, onLate });
      } finally {
        clearInterval(checks);
      }
    });
    return Promise.race([outcome, lateness.promise]);
  };
}

interface RunOptions extends Pick<TransactionOptions, 'statementsMs' | 'commitMs'> {
  /** What the caller should do if the outcome is unknown. */
  advice: string | undefined;
  /** Called if the statements that travel with COMMIT are late, or COMMIT itself. Its response may never come. */
  onLate: () => void;
}

/**
 * Runs a transaction. BEGIN travels with the first statement, and COMMIT with those whose responses `work` does not
 * await. The outcome is unknown only if COMMIT was sent and got no response; any earlier failure is undone.
 */
async function runTransaction<Result>(
  session: Session,
  work: (query: Query) => Promise<Result>,
  { statementsMs, commitMs, advice, onLate }: RunOptions,
): Promise<Result> {
  const sent: Promise<unknown>[] = [];
  const query: Query = (statement, values) => {
    const rows = session.query<never>(statement, values);
    // Avoid an unhandled rejection: the result is checked after COMMIT, even if `work` does not await it.
    rows.catch(() => {});
    sent.push(rows);
    return rows;
  };
  const { warnings } = session;
  const timer = setTimeout(() => session.destroy(), statementsMs);
  let result: Result;
  try {
    // Explicit, because under a role's stricter default no statement would see what committed while a lock was awaited.
    void query('BEGIN ISOLATION LEVEL READ COMMITTED');
    result = await work(query);
  } catch (error) {
    await session.query('ROLLBACK').catch(() => session.destroy());
    throw error;
  } finally {
    clearTimeout(timer);
  }
  const commitTimer = setTimeout(onLate, commitMs);
  try {
    const committed = commit(session);
    await Promise.allSettled(sent);
    // From here on, only COMMIT is awaited.
    commitTimer.refresh();
    await committed;
    // For example, a cancelled wait for the synchronous standby: the commit exists only on this server.
    if (session.warnings > warnings) throw new Error('The server warned.');
    // After a failed statement, the server treats COMMIT as ROLLBACK.
    await Promise.all(sent);
    return result;
  } catch (error) {
    if (error instanceof DatabaseError) throw error;
    session.destroy();
    throw new OutcomeUnknownError(error, advice);
  } finally {
    clearTimeout(commitTimer);
  }
}

/** Fails with a `DatabaseError` only if the transaction is undone. */
function commit(session: Session): Promise<unknown> {
  const committed = session.query('COMMIT').catch((error: unknown) => {
    throw isUndone(error) ? error : new SessionLostError(error);
  });
  // Avoid an unhandled rejection: the statements before it are awaited first.
  committed.catch(() => {});
  return committed;
}

/** A COMMIT got no response. */
export class OutcomeUnknownError extends PetstoreError {
  constructor(cause: unknown, advice = '') {
    super(
      'unavailable',
      `The connection to the store was lost, and the outcome of this write is unknown. ${advice}`.trimEnd(),
      { cause },
    );
  }
}

/** Whether a failed COMMIT was undone: 23 a constraint, 40 a collision, 57014 cancelled before it began. */
function isUndone(error: unknown): boolean {
  return /^(?:23|40(?!003)|57014)/.test(stateOf(error));
}

/** Whether two transactions collided. The one undone can be run again. */
export function isCollision(error: unknown): boolean {
  return /^40(?:001|P01)$/.test(stateOf(error));
}

/** The error for callers: `unavailable`, unless the values are at fault, which is a bug, or some rows are damaged. */
export function callerError(error: unknown): unknown {
  if (!(error instanceof SessionLostError || error instanceof DatabaseError)) return error;
  // 2200H: a sequence has reached its end.
  if (stateOf(error) === '2200H') return idsUsedUp();
  // 22 a value, 23505 and 23514 a constraint, P0 a trigger, XX damage.
  return /^(?:22|23505|23514|P0|XX)/.test(stateOf(error)) ? error : unavailable(error);
}
