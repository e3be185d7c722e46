import { OperatorError } from '../../domain/error.ts';
import { createPool } from './pool.ts';
import { type Session, SessionLostError, type SessionOptions } from './session.ts';

/** Runs the work of a start or a command on a session of its own. Failures are for the operator. */
export async function onSession<Result>(
  options: SessionOptions,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  const pool = createPool({ ...options, size: 1 });
  try {
    return await pool.run(work);
  } catch (error) {
    throw operatorError(error);
  } finally {
    await pool.close();
  }
}

/** The problem and its remedy, by SQLSTATE. */
const explanations: Record<string, [problem: string, remedy: string]> = {
  '42501': ['This role may not make the tables', 'Run petstore migrate once with a role that may.'],
  '42P07': ['The database holds tables of another program', 'Choose another database with --database-url.'],
};

/** One line for the operator. The server's messages never contain the password, and the address is not repeated. */
function operatorError(error: unknown): OperatorError {
  const cause = error instanceof SessionLostError ? error.cause : error;
  if (cause instanceof OperatorError) return cause;
  const { code = '', message } = cause as { code?: string; message: string };
  const reason = `${(message || 'no connection').replace(/\.$/, '')}${code && ` (${code})`}`;
  const [problem, remedy] = explanations[code] ?? [
    'The database cannot be used',
    'Check --database-url, and that the server runs.',
  ];
  return new OperatorError(`${problem}: ${reason}.`, remedy);
}
