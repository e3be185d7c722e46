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
        http_request_method: method,
        ...scheme,
        ...route,
        http_response_status_code: String(status),
        ...(error && status >= 500 && { error_type: error }),
      });
    for (const method of methods) for (const code of failures) childOf(method, statusOfCode[code], code);
    // Kept, because building the labels takes a tenth of the time of a cached list.
    const children = new Map<string, Histogram>();

    return (method, status, seconds, error) => {
      if (error) refusedBy.get(error)?.increment();
      const name = knownMethods.includes(method) ? method : '_OTHER';
      const key = `${name} ${status} ${error}`;
      let child = children.get(key);
      if (!child) children.set(key, (child = childOf(name, status, error)));
      child.observe(seconds);
    };
  };
}
