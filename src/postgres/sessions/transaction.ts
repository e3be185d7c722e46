import { DatabaseError } from 'pg';
import { isUndone, OutcomeUnknownError, SessionLostError } from '../errors.ts';
import type { Query } from './statement.ts';
import type { Session } from './session.ts';

export interface TransactionOptions {
  /** How long the statements, and then COMMIT, may take. */
  statementsMs: number;
  commitMs: number;
  /** What the caller should do when the outcome is unknown. */
  advice?: string | undefined;
  /** Called when COMMIT takes longer, which may go on for ever. By default the session is ended. */
  onLate?: () => void;
}

/**
 * Runs a transaction. BEGIN travels with its first statement, and COMMIT with those whose responses `work` does not wait
 * for. Its outcome is unknown only if COMMIT was sent and got no response; whatever fails before that is undone.
 */
export async function runTransaction<Result>(
  session: Session,
  work: (query: Query) => Promise<Result>,
  { statementsMs, commitMs, advice, onLate = () => session.destroy() }: TransactionOptions,
): Promise<Result> {
  const sent: Promise<unknown>[] = [];
  const query: Query = (statement, values) => {
    const rows = session.query<never>(statement, values);
    // Whether `work` waits for it or not, it is looked at after COMMIT.
    rows.catch(() => {});
    sent.push(rows);
    return rows;
  };
  const { warnings } = session;
  const timer = setTimeout(() => session.destroy(), statementsMs);
  let result: Result;
  try {
    // Said, because a role may have another default, under which no statement sees what a lock has waited for.
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
    await commitAll(session, sent, warnings);
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
async function commitAll(session: Session, sent: Promise<unknown>[], warningsBefore: number): Promise<void> {
  await session.query('COMMIT').catch((error: unknown) => {
    throw isUndone(error) ? error : new SessionLostError(error);
  });
  // Such as a commit whose wait for the synchronous standby was cancelled: committed here, and only here.
  if (session.warnings > warningsBefore) {
    session.destroy();
    throw new SessionLostError(new Error('The server warned.'));
  }
  // After a statement that failed, the server takes COMMIT for ROLLBACK.
  await Promise.all(sent);
}
