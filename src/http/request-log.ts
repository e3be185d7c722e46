import type { PetstoreError } from '../domain/error.ts';
import { describeError, reasonOf, type Log, type LogFields } from '../system/log.ts';
import type { ClientAddress } from './client-address.ts';
import type { Call } from './route.ts';
import type { Representation } from './response.ts';

export interface RequestLog {
  /**
   * Logs errors of the service: each bug with its stack, and failures of the store once a second by reason. Requests
   * without a valid key are counted by address and logged once a minute.
   */
  recordFailure(call: Call, visibleError: PetstoreError, error: unknown): void;
  /** Logs slow requests, or all requests if that is switched on. */
  recordResponse(call: Call, response: Representation, durationMs: number): void;
}

interface RequestLogOptions {
  log: Log;
  accessLog: boolean;
  slowRequestMs: number;
  clientOf: ClientAddress;
}

export function createRequestLog(options: RequestLogOptions): RequestLog {
  const { log, accessLog, slowRequestMs, clientOf } = options;
  const countFailed = createThrottledLog(
    (reason, count, fields) => log.error('requests are refused', { reason, count, ...fields }),
    1000,
  );
  const countUnauthorized = createThrottledLog(
    (client, count) => log.warn('requests without a valid key', { client, count }),
    60_000,
  );

  /** The fields that every line about a request has in common, plus `more`. */
  const fieldsOf = ({ method, path, caller, request, requestId }: Call, more: LogFields): LogFields => ({
    method,
    path,
    key: caller.name || undefined,
    keyId: caller.id,
    client: clientOf(request),
    ...more,
    requestId,
  });

  const logRefusal = (call: Call, { code, status, message }: PetstoreError): void => {
    if (status === 401) countUnauthorized(clientOf(call.request) ?? 'unknown');
    log.debug('request refused', fieldsOf(call, { status, code, reason: message }));
  };

  return {
    recordFailure(call, visibleError, error) {
      const { code, status } = visibleError;
      if (status < 500) return logRefusal(call, visibleError);
      if (code !== 'internal') return countFailed(reasonOf(error), fieldsOf(call, { code }));
      log.error('request failed', fieldsOf(call, { code, error: describeError(error) }));
    },

    recordResponse(call, { status = 200, code, body }, durationMs) {
      const isSlow = durationMs > slowRequestMs;
      if (!isSlow && !accessLog) return;
      const fields = fieldsOf(call, {
        status,
        code,
        durationMs: Math.round(durationMs),
        bytes: body === null || call.method === 'HEAD' ? 0 : Buffer.byteLength(body),
      });
      if (isSlow) log.warn('slow request', fields);
      else log.info('request', fields);
    },
  };
}

/** Beyond this, the other kinds are counted together, so that an attack from many addresses does not fill the memory. */
const maxKinds = 1000;

/** Logs the first event of a kind at once, and later ones at intervals as a count with the last one's fields. */
export function createThrottledLog(
  write: (kind: string, count: number, fields: LogFields) => void,
  everyMs: number,
): (kind: string, fields?: LogFields) => void {
  const counts = new Map<string, { count: number; fields: LogFields }>();

  const report = (kind: string): void => {
    const { count = 0, fields = {} } = counts.get(kind) ?? {};
    if (count === 0) return void counts.delete(kind);
    counts.set(kind, { count: 0, fields: {} });
    write(kind, count, fields);
    setTimeout(() => report(kind), everyMs).unref();
  };

  return (name, fields = {}) => {
    const kind = counts.has(name) || counts.size < maxKinds ? name : 'others';
    const before = counts.get(kind);
    counts.set(kind, { count: (before?.count ?? 0) + 1, fields });
    if (!before) report(kind);
  };
}
