import { DatabaseError } from 'pg';
import { isUndone, OutcomeUnknownError, SessionLostError } from '../errors.ts';
import type { Query, Session } from './session.ts';

export interface TransactionOptions {
  /** The time limit for the statements that `work` awaits. */
  statementsMs: number;
  /** The time limit for COMMIT, and before that for the statements that travel with it. */
  commitMs: number;
  /** What the caller should do if the outcome is unknown. */
  advice: string | undefined;
  /** Called if COMMIT is late, perhaps twice. The session may wait for its response forever. */
  onLate: () => void;
}

/**
 * Runs a transaction. BEGIN travels with the first statement, and COMMIT with those whose responses `work` does not
 * await. The outcome is unknown only if COMMIT was sent and got no response; any earlier failure is undone.
 */
export async function runTransaction<Result>(
  session: Session,
  work: (query: Query) => Promise<Result>,
  { statementsMs, commitMs, advice, onLate }: TransactionOptions,
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
    // Nothing else is awaited from here on.
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
