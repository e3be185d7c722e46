import { statusOfCode, type ErrorCode } from '../domain/error.ts';
import type { Counter, Histogram, Registry } from '../metrics/registry.ts';

/** The API's metrics. Request metrics are named after OpenTelemetry's HTTP conventions. */
export interface HttpMetrics {
  /**
   * Returns the function that counts a route's requests; without a path, those that no route serves. Creates the
   * failure series of these methods at 0: rate() misses the first increment of a new series.
   */
  requestsOf(path: string | undefined, methods: readonly string[]): ObserveRequest;
  cacheHits: Counter;
  cacheMisses: Counter;
  idempotentReplays: Counter;
}

/** `error` is the code of an error response. */
export type ObserveRequest = (method: string, status: number, seconds: number, error?: ErrorCode) => void;

type ChildrenByMethod = Record<'GET' | 'POST', Record<number, Histogram>>;

/** OpenTelemetry's boundaries and two lower ones: a cached list takes far less than 5 ms. */
const durationBounds = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
];
const knownMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT'];
/** The error codes of requests refused because of their key. */
const refusals: ErrorCode[] = ['unauthorized', 'invalid_api_key', 'forbidden', 'rate_limited'];
const failures = (Object.keys(statusOfCode) as ErrorCode[]).filter((code) => statusOfCode[code] >= 500);

export function createHttpMetrics(registry: Registry, isSecure: boolean): HttpMetrics {
  const durations = registry.histogram(
    'http_server_request_duration_seconds',
    'From the arrival of a request until its response is handed over.',
    durationBounds,
  );
  const cache = registry.counter('petstore_cache_requests_total', 'Lists, by whether the response was kept.');
  const refused = registry.counter(
    'petstore_keys_refused_total',
    'Requests refused for their API key, by the code of the error.',
  );
  const refusedBy = new Map(refusals.map((reason) => [reason, refused.with({ reason })]));
  const scheme = { url_scheme: isSecure ? 'https' : 'http' };

  return {
    requestsOf(path, methods) {
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
      const known: ChildrenByMethod = { GET: {}, POST: {} };

      return (method, status, seconds, error) => {
        if (error) {
          refusedBy.get(error)?.increment();
          return childOf(method, status, error).observe(seconds);
        }
        if (method !== 'GET' && method !== 'POST') return childOf(method, status).observe(seconds);
        const child = (known[method][status] ??= childOf(method, status));
        child.observe(seconds);
      };
    },
    cacheHits: cache.with({ result: 'hit' }),
    cacheMisses: cache.with({ result: 'miss' }),
    idempotentReplays: registry
      .counter('petstore_idempotent_replays_total', 'Creates that got an earlier response again.')
      .with({}),
  };
}
