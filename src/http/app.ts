import type { Registry } from '../metrics/registry.ts';
import type { Store } from '../stores/store.ts';
import type { Log } from '../system/log.ts';
import { createAuthentication } from './authentication.ts';
import { type Cache, createCache } from './cache.ts';
import { type ClientAddress, createClientAddress } from './client-address.ts';
import type { ContractOptions } from './contract.ts';
import { createCors } from './cors.ts';
import { createDocuments } from './documents.ts';
import { Endpoint, type EndpointOptions } from './endpoint.ts';
import { createEventOperations } from './events.ts';
import { createHealthChecks } from './health.ts';
import { createHttpMetrics } from './http-metrics.ts';
import { LargeResponses } from './large-responses.ts';
import { createOperations, getPetDeprecation } from './operations.ts';
import { createRateLimit } from './rate-limit.ts';
import { createRequestLog } from './request-log.ts';
import { baseHeaders } from './response.ts';
import { createRouter, type Handler, type Methods, pathOf, type Route } from './route.ts';

export interface AppOptions extends Omit<Store, 'close'>, ContractOptions {
  log: Log;
  /** Without it, nothing is measured. */
  metrics?: Registry | undefined;
  /** Keys to accept besides those in the store. */
  apiKeys?: readonly string[];
  /** Web origins that may call from a browser; `*` allows all of them. */
  allowedOrigins?: readonly string[];
  /** Requests per minute from one key. Unlimited by default. */
  rateLimit?: number | undefined;
  /**
   * The peer's address of a request; undefined once its response is sent. Without it, the log names no client, and the
   * memory held for slow readers is unbounded.
   */
  peerOf?: ClientAddress;
  /** Addresses and networks of proxies that name the client in `X-Forwarded-For`. */
  trustedProxies?: readonly string[];
  /** Logs every request, not only slow and failed ones. */
  accessLog?: boolean;
  slowRequestMs?: number;
  /** How long a body may take to arrive. */
  bodyTimeoutMs?: number;
  /** True once the service is told to stop: it reports not ready, and responses close their connections. */
  isStopping?: () => boolean;
  /** True if the service itself serves TLS. */
  isSecure?: boolean;
  now?: () => number;
  /** Served beside the service's own paths, with the same checks. */
  moreRoutes?: readonly Route[];
  /** What is kept for speed. Default: {@link createCache}. */
  cache?: Cache;
}

/** The whole API as a function from request to response. It does not open a port, and there is nothing to close. */
export interface App {
  fetch: (request: Request) => Response | Promise<Response>;
  /** Ends every wait for events, so that a stopping server is not delayed. */
  stopWaiting: () => void;
}

export function createApp(options: AppOptions): App {
  const { keys, log, apiKeys = [], allowedOrigins = [], rateLimit } = options;
  const { accessLog = false, slowRequestMs = 1000, isSecure = false, stableOnly = false } = options;
  const { peerOf = () => undefined, isStopping = () => false, now = Date.now, moreRoutes = [] } = options;
  const cache = options.cache ?? createCache(options.pets, now);
  const clientOf = createClientAddress(peerOf, options.trustedProxies ?? []);
  const shared: EndpointOptions = {
    authenticate: createAuthentication(keys, apiKeys, { log, now, remember: cache.callers }),
    rateLimit: rateLimit ? createRateLimit(rateLimit, now) : undefined,
    addCorsHeaders: createCors(allowedOrigins, stableOnly),
    log: createRequestLog({ log, accessLog, slowRequestMs, clientOf }),
    measureRoute: options.metrics && createHttpMetrics(options.metrics, isSecure),
    isStopping,
    largeResponses: options.peerOf && new LargeResponses((request) => peerOf(request) === undefined),
    baseHeaders: baseHeaders(isSecure),
  };
  const events = createEventOperations(options.events, shared.authenticate);
  const routes = createRoutes(options, shared, cache, events.listEvents);
  const endpoints = [...(stableOnly ? onlyStable(routes) : routes), ...moreRoutes].map(
    (route) => [route.path, new Endpoint(route, shared)] as const,
  );
  const findRoute = createRouter(Object.fromEntries(endpoints));
  const unknown = new Endpoint({ path: '(unknown)', methods: {} }, shared);
  const hint = ' Paths of the API begin with /v1, such as /v1/pets.';
  const withoutVersion = new Endpoint({ path: '(unknown)', methods: {}, hint }, shared);
  return {
    fetch(request) {
      // The runtime refuses malformed HTTP in the same way.
      if (isMisframed(request)) return new Response(null, { status: 400, headers: { Connection: 'close' } });
      const match = findRoute(request.url);
      if (match) return match.target.serve(request, match.parameter);
      return (findRoute(`/v1${pathOf(request.url)}`) ? withoutVersion : unknown).serve(request, undefined);
    },
    stopWaiting: events.stopWaiting,
  };
}

/** Every path that the service knows. */
function createRoutes(
  options: AppOptions,
  shared: EndpointOptions,
  cache: Cache,
  listEvents: Handler,
): Route[] {
  const { pets, orders, bodyTimeoutMs = 10_000 } = options;
  const { authenticate, isStopping } = shared;
  const api = createOperations(pets, orders, authenticate, bodyTimeoutMs);
  const open = { ...createHealthChecks(options, isStopping), ...createDocuments(options) };

  return [
    { path: '/v1/pets', methods: { GET: cache.firstPages(api.listPets), POST: api.createPet } },
    {
      path: '/v1/pets/:petId',
      methods: { GET: api.getPet, PATCH: api.updatePet, DELETE: api.deletePet },
      headers: getPetDeprecation,
      stability: { PATCH: 'beta', DELETE: 'beta' },
    },
    {
      path: '/v1/pets/search',
      methods: { GET: cache.firstPages(api.searchPets) },
      stability: { GET: 'beta' },
    },
    {
      path: '/v1/categories',
      methods: { GET: cache.firstPages(api.listCategories) },
      stability: { GET: 'experimental' },
    },
    {
      path: '/v1/categories/:categoryId',
      methods: { GET: api.getCategory, PUT: api.putCategory, DELETE: api.deleteCategory },
      stability: { GET: 'experimental', PUT: 'experimental', DELETE: 'experimental' },
    },
    {
      path: '/v1/store/orders',
      methods: { GET: cache.firstPages(api.listOrders) },
      stability: { GET: 'beta' },
    },
    { path: '/v1/events', methods: { GET: listEvents }, stability: { GET: 'experimental' } },
    { path: '/v1/key', methods: { GET: api.getKey }, stability: { GET: 'beta' } },
    ...Object.entries(open).map(([path, GET]) => ({ path, methods: { GET }, isOpen: true })),
  ];
}

/** The routes of `--stable-only`: drops methods that carry a stability mark, and paths left without methods. */
function onlyStable(routes: readonly Route[]): Route[] {
  return routes
    .map(({ stability = {}, ...route }) => {
      const methods: Methods = { ...route.methods };
      for (const method of Object.keys(stability) as (keyof Methods)[]) delete methods[method];
      return { ...route, methods };
    })
    .filter(({ methods }) => Object.keys(methods).length > 0);
}

/**
 * The runtime ignores an empty transfer coding (`, chunked`). A proxy that does not would split messages differently.
 */
function isMisframed({ headers }: Request): boolean {
  const coding = headers.get('Transfer-Encoding');
  return coding !== null && coding.toLowerCase() !== 'chunked';
}
