import { type ErrorCode, statusOfCode } from '../domain/error.ts';
import type { Histogram, Registry } from '../metrics/registry.ts';

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
