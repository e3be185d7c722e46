import { statusOfCode, type ErrorCode } from '../domain/error.ts';
import type { Counter, Histogram, Registry } from '../metrics/registry.ts';

/** What the API counts. The names of requests are those of OpenTelemetry's HTTP conventions. */
export interface HttpMetrics {
  /**
   * Makes the function that counts the requests of a route; without a path, those that no route serves. Failures of
   * these methods are counted from 0: `rate()` does not see the first ones of a series that begins with them.
   */
  requestsOf(path: string | undefined, methods: readonly string[]): ObserveRequest;
  cacheHits: Counter;
  cacheMisses: Counter;
  idempotentReplays: Counter;
}

/** `error` is the code of an error response, where there is one. */
export type ObserveRequest = (method: string, status: number, seconds: number, error?: ErrorCode) => void;

type ChildrenByMethod = Record<'GET' | 'POST', Record<number, Histogram>>;

/** OpenTelemetry's boundaries, and below them two more: a list from the cache takes far less than 5 ms. */
const durationBounds = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
];
const knownMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT'];
/** Why a key, or a request without one, is refused. */
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
      // Found by method and status, because putting the labels together takes longer than a list from the cache may. Plain
      // objects are found faster than entries of a Map.
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
