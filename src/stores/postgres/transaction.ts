import { DatabaseError } from 'pg';
import { OutcomeUnknownError } from '../../domain/error.ts';
import { isUndone, SessionLostError } from './errors.ts';
import type { SessionPool } from './pool.ts';
import type { Send, Session } from './session.ts';

/** In milliseconds. */
interface Limits {
  /** For the statements that `work` awaits. */
  statementsMs: number;
  /** For COMMIT, and before that for the statements that travel with it. */
  commitMs: number;
}

/**
 * Runs one transaction. Fails with an `OutcomeUnknownError` only if COMMIT was sent and got no response. If COMMIT is
 * late, the caller is told so, and the session is kept until the response arrives or TCP finds the network gone. A
 * standby that hangs thus ties up no more than the two writers: further writes wait for one of them in vain.
 */
export function transact<Result>(
  writers: SessionPool,
  work: (send: Send) => Promise<Result>,
  limits: Limits,
): Promise<Result> {
  const lateness = Promise.withResolvers<never>();
  const onLate = (): void => lateness.reject(outcomeUnknown(new Error('COMMIT hangs.')));
  const outcome = writers.run((session) => runTransaction(session, work, limits, onLate));
  return Promise.race([outcome, lateness.promise]);
}

function outcomeUnknown(cause: unknown): OutcomeUnknownError {
  return new OutcomeUnknownError('The connection to the store was lost', cause);
}

/**
 * BEGIN travels with the first statement, and COMMIT with those whose responses `work` does not await. Any failure before
 * COMMIT is undone. `onLate` is called if COMMIT, or a statement that travels with it, is late.
 */
async function runTransaction<Result>(
  session: Session,
  work: (send: Send) => Promise<Result>,
  { statementsMs, commitMs }: Limits,
  onLate: () => void,
): Promise<Result> {
  const statements: Promise<unknown>[] = [];
  const send: Send = (statement, values) => {
    const rows = session.send<never>(statement, values);
    // Avoid an unhandled rejection: the result is checked after COMMIT, even if `work` does not await it.
    rows.catch(() => {});
    statements.push(rows);
    return rows;
  };
  const { warnings } = session;
  const timer = setTimeout(() => session.destroy(), statementsMs);
  let result: Result;
  try {
    // Explicit, because a role's stricter default would hide what was committed while a lock was awaited.
    const begun = send('BEGIN ISOLATION LEVEL READ COMMITTED');
    // Outside a transaction, each statement would commit on its own. None that saves is sent before a response.
    begun.catch(() => session.destroy());
    result = await work(send);
  } catch (error) {
    await session.send('ROLLBACK').catch(() => session.destroy());
    throw error;
  } finally {
    clearTimeout(timer);
  }
  const commitTimer = setTimeout(onLate, commitMs);
  try {
    const committed = commit(session);
    await Promise.allSettled(statements);
    // From here on, only COMMIT is awaited.
    commitTimer.refresh();
    await committed;
    // For example, a cancelled wait for the synchronous standby: the commit exists only on this server.
    if (session.warnings > warnings) throw new Error('The server warned.');
    // After a failed statement, the server treats COMMIT as ROLLBACK.
    await Promise.all(statements);
    return result;
  } catch (error) {
    if (error instanceof DatabaseError) throw error;
    session.destroy();
    throw outcomeUnknown(error);
  } finally {
    clearTimeout(commitTimer);
  }
}

/** Fails with a `DatabaseError` only if the transaction is undone. */
function commit(session: Session): Promise<unknown> {
  const committed = session.send('COMMIT').catch((error: unknown) => {
    throw isUndone(error) ? error : new SessionLostError(error);
  });
  // Avoid an unhandled rejection: the statements before it are awaited first.
  committed.catch(() => {});
  return committed;
}
