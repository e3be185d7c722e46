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
import { createRouter } from './router.ts';

export interface AppOptions {
  pets: PetStore;
  keys: ApiKeyStore;
  log: Log;
  /** Hashes of the keys that the configuration adds. */
  fixedKeys?: ReadonlySet<string>;
  /** Origins whose pages may call from a browser. */
  allowedOrigins?: readonly string[];
  /** How often one key may call; no limit when it is left out. */
  requestsPerMinute?: number | undefined;
  logEveryRequest?: boolean;
  slowRequestMs?: number;
  /** How long a body may take to arrive. */
  bodyTimeoutMs?: number;
  /** True from the moment the service has been told to stop: it is not ready any more. */
  isStopping?: () => boolean;
  /** True when it accepts no more connections: whoever is connected is told to leave. */
  isDraining?: () => boolean;
  /** True once a request is answered to its last byte; without it, what slow readers cost is not bounded. */
  isSent?: IsSent;
  /** True when the service itself speaks TLS. */
  isSecure?: boolean;
  now?: () => number;
}

/** The whole interface as a function from request to response. It listens nowhere and owns nothing. */
export interface App {
  fetch: (request: Request) => Response | Promise<Response>;
}

export function createApp(options: AppOptions): App {
  const { pets, keys, log, fixedKeys = new Set<string>(), requestsPerMinute } = options;
  const { isStopping = () => false, isDraining = () => false, now = Date.now } = options;
  const serve = createEndpoint({
    authenticate: createAuthentication({ keys, fixedKeys, log, now }),
    rateLimit: requestsPerMinute ? createRateLimit({ requestsPerMinute, now }) : undefined,
    cors: createCors(options.allowedOrigins ?? []),
    log,
    logEveryRequest: options.logEveryRequest ?? false,
    slowRequestMs: options.slowRequestMs ?? 1000,
    isDraining,
    isSent: options.isSent,
    securityHeaders: securityHeaders(options.isSecure ?? false),
  });
  const { listPets, createPet, getPet } = createPetOperations(pets, options.bodyTimeoutMs ?? 10_000);
  const { livez, readyz } = createHealthChecks({ pets, isStopping, now });
  const { consoleHtml, docsHtml, asset, openapiYaml, openapiJson } = createDocuments();

  const endpoints: Endpoint[] = [
    { path: '/v1/pets', methods: { GET: listPets, POST: createPet } },
    { path: '/v1/pets/:petId', methods: { GET: getPet }, headers: getPetDeprecation },
    { path: '/livez', methods: { GET: livez }, isOpen: true },
    { path: '/readyz', methods: { GET: readyz }, isOpen: true },
    { path: '/openapi.yaml', methods: { GET: openapiYaml }, isOpen: true },
    { path: '/openapi.json', methods: { GET: openapiJson }, isOpen: true },
    { path: '/docs', methods: { GET: docsHtml }, isOpen: true },
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

/** OWASP's set for an API whose answers are data: never sniffed, framed or run as a page. */
function securityHeaders(isSecure: boolean): Record<string, string> {
  return {
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Referrer-Policy': 'no-referrer',
    ...(isSecure && { 'Strict-Transport-Security': 'max-age=31536000' }),
  };
}
