/** Failures of PostgreSQL and its connections, told apart by SQLSTATE. */

import { DatabaseError } from 'pg';
import { idsUsedUp, OperatorError, PetstoreError, unavailable } from '../../domain/error.ts';

/** The session ended, or fell silent, before a statement got its response. */
export class SessionLostError extends Error {
  override readonly name = 'SessionLostError';

  constructor(cause: unknown) {
    super('The session was lost.', { cause });
  }
}

/** Empty unless the server sent the error: codes of others, such as EPIPE, could look like one. */
function stateOf(error: unknown): string {
  return error instanceof DatabaseError ? (error.code ?? '') : '';
}

/** Whether the session is gone, which undoes uncommitted changes. 08 and 57P01 to 57P05: the server ends it. */
export function isLost(error: unknown): boolean {
  return error instanceof SessionLostError || /^(?:08|57P0)/.test(stateOf(error));
}

/** Whether two transactions collided. This one was undone and can be run again. */
export function isCollision(error: unknown): boolean {
  return /^40(?:001|P01)$/.test(stateOf(error));
}

/** Whether a failed COMMIT was undone: 23 a constraint, 40 a collision, 57014 cancelled before it began. */
export function isUndone(error: unknown): boolean {
  return /^(?:23|40(?!003)|57014)/.test(stateOf(error));
}

/** The error for callers: `unavailable`, unless the values are at fault, which is a bug, or some rows are damaged. */
export function callerError(error: unknown): unknown {
  if (!(error instanceof SessionLostError || error instanceof DatabaseError)) return error;
  // 2200H: a sequence has reached its end.
  if (stateOf(error) === '2200H') return idsUsedUp();
  // 22 a value, 23505 and 23514 a constraint, P0 a trigger, XX damage.
  return /^(?:22|23505|23514|P0|XX)/.test(stateOf(error)) ? error : unavailable(error);
}

const untrusted: [problem: string, remedy: string] = [
  "The database's certificate is from an authority that is not trusted",
  'If it is your own, name the file with its certificate in --database-url: sslrootcert=FILE.',
];

/** The problem and its remedy, by SQLSTATE or by the code of OpenSSL. */
const explanations: Record<string, [problem: string, remedy: string]> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  '42501': ['This role may not make the tables', 'Run petstore migrate once with a role that may.'],
  '42P07': ['The database holds tables of another program', 'Choose another database with --database-url.'],
};

/** One line for the operator. The server's messages never contain the password, and the address is not repeated. */
export function operatorError(error: unknown): OperatorError {
  let cause = error;
  while (cause instanceof PetstoreError || cause instanceof SessionLostError) cause = cause.cause;
  if (cause instanceof OperatorError) return cause;
  const { code = '', message } = cause as { code?: string; message: string };
  const reason = `${(message || 'no connection').replace(/\.$/, '')}${code && ` (${code})`}`;
  const [problem, remedy] = explanations[code] ?? [
    'The database cannot be used',
    'Check --database-url, and that the server runs.',
  ];
  return new OperatorError(`${problem}: ${reason}.`, remedy);
}
