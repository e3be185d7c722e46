import { type ErrorCode, PetstoreError, statusOfCode } from '../domain/error.ts';
import type { Histogram, Registry } from '../metrics/registry.ts';
import { describeError, reasonOf, type Log, type LogFields } from '../system/log.ts';
import type { Call } from './route.ts';
import type { Representation } from './response.ts';

export interface RequestLog {
  /**
   * Logs errors of the service: each bug with its stack, and failures of the store once a second by reason. Requests
   * without a valid key are counted by address and logged once a minute.
   */
  failed(call: Call, shown: PetstoreError, error: unknown): void;
  /** Logs slow requests, or all requests if that is switched on. */
  finished(call: Call, response: Representation, durationMs: number): void;
}

/** The address that a request came from; undefined if the connection is gone. */
export type ClientAddress = (request: Request) => string | undefined;

interface RequestLogOptions {
  log: Log;
  accessLog: boolean;
  slowRequestMs: number;
  peerOf: ClientAddress;
}

export function createRequestLog(options: RequestLogOptions): RequestLog {
  const { log, accessLog, slowRequestMs, peerOf } = options;
  // A dual-stack socket shows an IPv4 address as `::ffff:192.0.2.1`.
  const clientOf = (request: Request) => peerOf(request)?.replace(/^::ffff:(?=\d+\.)/i, '');
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
    failed(call, shown, error) {
      const { code, status } = shown;
      if (status < 500) return logRefusal(call, shown);
      if (code !== 'internal') return countFailed(reasonOf(error), fieldsOf(call, { code }));
      log.error('request failed', fieldsOf(call, { code, error: describeError(error) }));
    },

    finished(call, { status = 200, code, body }, durationMs) {
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

/** Beyond this, the other kinds are counted together, so that an attack from many addresses costs no more memory. */
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
    const known = counts.get(kind);
    counts.set(kind, { count: (known?.count ?? 0) + 1, fields });
    if (!known) report(kind);
  };
}

/** The error as the caller sees it. An unexpected error shows only the id under which it was logged. */
export function shownError(error: unknown, requestId: string): PetstoreError {
  if (error instanceof PetstoreError && error.code !== 'internal') return error;
  return new PetstoreError(
    'internal',
    `Something went wrong on our side. If this keeps happening, report it with the request id ${requestId}.`,
  );
}

/** `error` is the code of an error response. */
export type ObserveRequest = (method: string, status: number, seconds: number, error?: ErrorCode) => void;

/** OpenTelemetry's boundaries and two lower ones: a cached list takes far less than 5 ms. */
const durationBounds = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
];
const knownMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT'];
/** The error codes of requests refused because of their key. */
const refusals: ErrorCode[] = ['unauthorized', 'invalid_api_key', 'forbidden', 'rate_limited'];
const failures = (Object.keys(statusOfCode) as ErrorCode[]).filter((code) => statusOfCode[code] >= 500);

/**
 * Makes the function that measures the requests of a route; without a path, those that no route serves. Creates the
 * failure series of these methods at 0: rate() misses the first increment of a new series.
 */
export type MeasureRoute = (path: string | undefined, methods: readonly string[]) => ObserveRequest;

/** Request metrics are named after OpenTelemetry's HTTP conventions. */
export function createHttpMetrics(registry: Registry, isSecure: boolean): MeasureRoute {
  const durations = registry.histogram(
    'http_server_request_duration_seconds',
    'From the arrival of a request until its response is handed over.',
    durationBounds,
  );
  const refused = registry.counter(
    'petstore_keys_refused_total',
    'Requests refused for their API key, by the code of the error.',
  );
  const refusedBy = new Map(refusals.map((reason) => [reason, refused.with({ reason })]));
  const scheme = { url_scheme: isSecure ? 'https' : 'http' };

  return (path, methods) => {
    const route = path === undefined ? {} : { http_route: path };
    const childOf = (method: string, status: number, error?: ErrorCode): Histogram =>
      durations.with({
        http_request_method: knownMethods.includes(method) ? method : '_OTHER',
        ...scheme,
        ...route,
        http_response_status_code: String(status),
        ...(error && status >= 500 && { error_type: error }),
      });
    for (const method of methods) for (const code of failures) childOf(method, statusOfCode[code], code);
    // Look up by method and status: building the labels can take longer than serving a cached list. Plain objects
    // are faster than a Map here.
    const known: Record<'GET' | 'POST', Record<number, Histogram>> = { GET: {}, POST: {} };

    return (method, status, seconds, error) => {
      if (error) {
        refusedBy.get(error)?.increment();
        return childOf(method, status, error).observe(seconds);
      }
      if (method !== 'GET' && method !== 'POST') return childOf(method, status).observe(seconds);
      const child = (known[method][status] ??= childOf(method, status));
      child.observe(seconds);
    };
  };
}
