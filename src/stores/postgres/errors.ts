import { DatabaseError } from 'pg';
import { OperatorError } from '../../domain/error.ts';
import { SessionLostError } from './session.ts';

/** Whether a start may succeed later: 08 connection, 40 collision, 53 too many, 55 lock, 57 starting or stopping. */
export function mayPass(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return !(error instanceof OperatorError);
  return error.code !== refusedSettings && /^(?:08|40|53|55|57)/.test(error.code ?? '');
}

/** pgbouncer's code for a session that starts with settings it does not know. */
const refusedSettings = '08P01';

/** The problem and its remedy, by SQLSTATE. */
const explanations: Record<string, [problem: string, remedy: string]> = {
  '42501': ['This role may not set up the schema', 'Run petstore migrate once with a role that may.'],
  '42P07': ['The database holds tables of another program', 'Choose another database with --database-url.'],
  [refusedSettings]: [
    'The address leads to a pooler, such as pgbouncer, that does not accept our timeouts',
    'Add pgbouncer=true to the address.',
  ],
};

/** One line for the operator of a start or a command. The server's messages never contain the password, and the address is not repeated. */
export function operatorError(error: unknown): OperatorError {
  if (error instanceof OperatorError) return error;
  const cause = error instanceof SessionLostError ? error.cause : error;
  const { code = '', message } = cause as { code?: string; message: string };
  const reason = `${(message || 'no connection').replace(/\.$/, '')}${code && ` (${code})`}`;
  const [problem, remedy] = explanations[code] ?? [
    'The database cannot be used',
    'Check --database-url, and that the server runs.',
  ];
  return new OperatorError(`${problem}: ${reason}.`, remedy);
}
