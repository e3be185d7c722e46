import { PetstoreError, type ErrorCode } from '../error.ts';
import { describeError, type Log } from '../log.ts';

/** A request as the log describes it. */
interface LoggedRequest {
  requestId: string;
  method: string;
  path: string;
}

export interface RequestLog {
  /** Logs errors of the service: a bug always, a store that cannot be used once a second instead of once a request. */
  failed(request: LoggedRequest, shown: PetstoreError, error: unknown): void;
  /** Logs slow requests, and all of them if that is switched on. */
  finished(request: LoggedRequest, status: number, durationMs: number): void;
}

export function createRequestLog(log: Log, logEveryRequest: boolean, slowRequestMs: number): RequestLog {
  const loggedAt = new Map<ErrorCode, number>();
  return {
    failed({ requestId, method, path }, { code, status }, error) {
      if (status < 500) return;
      const fields = { code, requestId, method, path, error: describeError(error) };
      if (code === 'internal') return log.error('request failed', fields);
      const now = performance.now();
      if (now - (loggedAt.get(code) ?? -Infinity) < 1000) return;
      loggedAt.set(code, now);
      log.warn('requests are refused', fields);
    },

    finished({ requestId, method, path }, status, durationMs) {
      const isSlow = durationMs > slowRequestMs;
      if (!isSlow && !logEveryRequest) return;
      const fields = { requestId, method, path, status, durationMs: Math.round(durationMs) };
      if (isSlow) log.warn('slow request', fields);
      else log.info('request', fields);
    },
  };
}

/** What a caller sees of an error: of an unexpected one, only the id under which it was logged. */
export function shownError(error: unknown, requestId: string): PetstoreError {
  if (error instanceof PetstoreError && error.code !== 'internal') return error;
  return new PetstoreError(
    'internal',
    `Something went wrong on our side. If it stays, report it with the request id ${requestId}.`,
  );
}
