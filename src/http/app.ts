import type { ApiKeyStore } from '../api-key.ts';
import type { Log } from '../log.ts';
import type { PetStore } from '../pet.ts';
import { createAuthentication } from './auth.ts';
import { createCors } from './cors.ts';
import { createDocuments } from './web/documents.ts';
import { createEndpoint, type Endpoint } from './endpoint.ts';
import { createHealthChecks } from './health.ts';
import type { IsSent } from './large-responses.ts';
import { createPetOperations, getPetDeprecation } from './pets.ts';
import { createRateLimit } from './rate-limit.ts';
import { createRequestLog } from './request-log.ts';
import { baseHeaders } from './response.ts';
import { createRouter } from './router.ts';

export interface AppOptions {
  pets: PetStore;
  keys: ApiKeyStore;
  log: Log;
  /** Hashes of the keys that the configuration adds. */
  fixedKeys?: ReadonlySet<string>;
  /** Web origins that may call from a browser. */
  allowedOrigins?: readonly string[];
  /** No limit when it is left out. */
  requestsPerMinute?: number | undefined;
  logEveryRequest?: boolean;
  slowRequestMs?: number;
  /** How long a body may take to arrive. */
  bodyTimeoutMs?: number;
  /** True once the service was told to stop: it is no longer ready. */
  isStopping?: () => boolean;
  /** True once the service accepts no more connections: responses tell callers to close theirs. */
  isDraining?: () => boolean;
  /** Without it, what slow readers cost is not bounded. */
  isSent?: IsSent;
  /** True when the service itself speaks TLS. */
  isSecure?: boolean;
  now?: () => number;
}

/** The whole API as a function from request to response. It never listens and owns nothing. */
export interface App {
  fetch: (request: Request) => Response | Promise<Response>;
}

export function createApp(options: AppOptions): App {
  const { pets, keys, log, fixedKeys = new Set<string>(), requestsPerMinute } = options;
  const { logEveryRequest = false, slowRequestMs = 1000, bodyTimeoutMs = 10_000 } = options;
  const { isStopping = () => false, isDraining = () => false, now = Date.now } = options;
  const headers = baseHeaders(options.isSecure ?? false);
  const serve = createEndpoint({
    authenticate: createAuthentication(keys, fixedKeys, log, now),
    rateLimit: requestsPerMinute ? createRateLimit(requestsPerMinute, now) : undefined,
    addCorsHeaders: createCors(options.allowedOrigins ?? []),
    log: createRequestLog(log, logEveryRequest, slowRequestMs),
    isDraining,
    isSent: options.isSent,
    baseHeaders: headers,
  });
  const { listPets, createPet, getPet } = createPetOperations(pets, headers, bodyTimeoutMs);
  const { livez, readyz } = createHealthChecks(pets, isStopping, now);
  const { consoleHtml, docsHtml, docsRedirect, asset, openapiYaml, openapiJson } = createDocuments();

  const endpoints: Endpoint[] = [
    { path: '/v1/pets', methods: { GET: listPets, POST: createPet } },
    { path: '/v1/pets/:petId', methods: { GET: getPet }, headers: getPetDeprecation },
    { path: '/livez', methods: { GET: livez }, isOpen: true },
    { path: '/readyz', methods: { GET: readyz }, isOpen: true },
    { path: '/openapi.yaml', methods: { GET: openapiYaml }, isOpen: true },
    { path: '/openapi.json', methods: { GET: openapiJson }, isOpen: true },
    { path: '/docs', methods: { GET: docsHtml }, isOpen: true },
    { path: '/docs/', methods: { GET: docsRedirect }, isOpen: true },
    { path: '/', methods: { GET: consoleHtml }, isOpen: true },
    { path: '/assets/:file', methods: { GET: asset }, isOpen: true },
  ];
  const router = createRouter(
    Object.fromEntries(endpoints.map((endpoint) => [endpoint.path, serve(endpoint)])),
  );
  const serveUnknown = serve({ path: '(unknown)', methods: {} });

  return {
    fetch(request) {
      const found = router.find(request.url);
      return found ? found.route(request, found.parameter) : serveUnknown(request, undefined);
    },
  };
}
