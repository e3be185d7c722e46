import { PetstoreError, type ErrorCode } from '../error.ts';
import { describeError, type Log, type LogFields } from '../log.ts';

export type LogFailure = (shown: PetstoreError, error: unknown, fields: LogFields) => void;

/** What a caller gets to see of an error: of an unknown one, nothing but the id under which it was logged. */
export function shownError(error: unknown, requestId: string): PetstoreError {
  if (error instanceof PetstoreError && error.code !== 'internal') return error;
  return new PetstoreError(
    'internal',
    `Something went wrong on our side. If it stays, report it with the request id ${requestId}.`,
  );
}

/** Logs what is our fault: a bug always, a service without its store once a second and not once a request. */
export function createFailureLog(log: Log): LogFailure {
  const loggedAt = new Map<ErrorCode, number>();
  return ({ code, status }, error, fields) => {
    if (status < 500) return;
    const details = { code, ...fields, error: describeError(error) };
    if (code === 'internal') return log.error('request failed', details);
    const now = performance.now();
    if (now - (loggedAt.get(code) ?? -Infinity) < 1000) return;
    loggedAt.set(code, now);
    log.warn('requests are refused', details);
  };
}
