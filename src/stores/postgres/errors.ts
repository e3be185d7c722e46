import { DatabaseError } from 'pg';
import { idsUsedUp, IdTakenError, OperatorError, PetstoreError, unavailable } from '../../domain/error.ts';

/** The session ended, or fell silent, before a statement got its response. */
export class SessionLostError extends Error {
  override readonly name = 'SessionLostError';

  constructor(cause: unknown) {
    super('The session was lost.', { cause });
  }
}

/** The server's SQLSTATE; empty for other errors, whose codes, such as EPIPE, could look like one. */
function stateOf(error: unknown): string {
  return error instanceof DatabaseError ? (error.code ?? '') : '';
}

/** Whether the session is gone, which undoes uncommitted changes. 08 and 57P01 to 57P05: the server ends it. */
export function isLost(error: unknown): boolean {
  return error instanceof SessionLostError || /^(?:08|57P0)/.test(stateOf(error));
}

/** Whether a failed COMMIT was undone: 23 a constraint, 40 a collision, 57014 cancelled before it began. */
export function isUndone(error: unknown): boolean {
  return /^(?:23|40(?!003)|57014)/.test(stateOf(error));
}

/** Whether two transactions collided, or an import took an id that was drawn. The one undone can be run again. */
export function isCollision(error: unknown): boolean {
  return /^40(?:001|P01)$/.test(stateOf(error)) || isIdTaken(error);
}

function isIdTaken(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return false;
  return error.code === '23505' && /^(?:pets|orders)_pkey$/.test(error.constraint ?? '');
}

/** For rows that keep their ids, where another attempt would fail, too. */
export function refuseTakenId(error: unknown): never {
  throw isIdTaken(error) ? new IdTakenError('This id is taken already.', { cause: error }) : error;
}

/**
 * Whether the session must not be used again. 25006: read-only since a failover; 26000, 42P05, 0A000: a statement is
 * unknown, its name taken, its plan outdated.
 */
export function spoilsSession(error: unknown): boolean {
  return isLost(error) || ['25006', '26000', '42P05', '0A000'].includes(stateOf(error));
}

/** The error for callers: `unavailable`, unless the values are at fault, which is a bug. */
export function callerError(error: unknown): unknown {
  if (!(error instanceof SessionLostError || error instanceof DatabaseError)) return error;
  // 2200H: a sequence has reached its end.
  if (stateOf(error) === '2200H') return idsUsedUp();
  // 22 a value, 23505 and 23514 a constraint, P0 a trigger.
  return /^(?:22|23505|23514|P0)/.test(stateOf(error)) ? error : unavailable(error);
}

/** Whether a caller's error concerns the whole store. XX: only some rows are damaged. */
export function isStoreDown(error: unknown): boolean {
  return error instanceof PetstoreError && !stateOf(error.cause).startsWith('XX');
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

/** Whether a start may succeed later: 08 connection, 40 collision, 53 too many, 55 lock, 57 starting or stopping. */
export function mayPass(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return !(error instanceof OperatorError);
  return error.code !== refusedSettings && /^(?:08|40|53|55|57)/.test(stateOf(error));
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

/** One line for the operator. The server's messages never contain the password, and the address is not repeated. */
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
