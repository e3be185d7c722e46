import { Hono } from 'hono';
import { getPath } from 'hono/utils/url';
import type { ApiKeyStore } from '../api-key.ts';
import type { Log } from '../log.ts';
import type { PetStore } from '../pet.ts';
import { createAuthentication } from './auth.ts';
import { createCors } from './cors.ts';
import { createDocs } from './docs.ts';
import { createEndpoint, type Endpoint } from './endpoint.ts';
import { createHealthChecks } from './health.ts';
import { createPetOperations, getPetDeprecation } from './pets.ts';
import { createRateLimit } from './rate-limit.ts';

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
  /** True from the moment the service has been told to stop. */
  isDraining?: () => boolean;
  /** True when the service itself speaks TLS. */
  isSecure?: boolean;
  now?: () => number;
}

/** The whole interface as a function from request to response. It listens nowhere and owns nothing. */
export function createApp(options: AppOptions): Hono {
  const { pets, keys, log, fixedKeys = new Set<string>(), requestsPerMinute } = options;
  const { isDraining = () => false, now = Date.now } = options;
  const app = new Hono({ strict: true, getPath: pathOf });
  const endpoint = createEndpoint({
    authenticate: createAuthentication({ keys, fixedKeys, log, now }),
    rateLimit: requestsPerMinute ? createRateLimit({ requestsPerMinute, now }) : undefined,
    cors: createCors(options.allowedOrigins ?? []),
    log,
    logEveryRequest: options.logEveryRequest ?? false,
    slowRequestMs: options.slowRequestMs ?? 1000,
    isDraining,
    securityHeaders: securityHeaders(options.isSecure ?? false),
  });
  const { listPets, createPet, getPet } = createPetOperations(pets, options.bodyTimeoutMs ?? 10_000);
  const { livez, readyz } = createHealthChecks({ pets, isDraining, now });
  const { homePage, docsPage, asset, openapiYaml, openapiJson } = createDocs();

  // One handler for all methods of a path: Hono calls a lone handler directly, and 405 knows what is allowed.
  const route = (description: Endpoint) => app.all(description.path, endpoint(description));
  route({ path: '/v1/pets', methods: { GET: listPets, POST: createPet } });
  route({ path: '/v1/pets/:petId', methods: { GET: getPet }, headers: getPetDeprecation });
  route({ path: '/livez', methods: { GET: livez }, isOpen: true });
  route({ path: '/readyz', methods: { GET: readyz }, isOpen: true });
  route({ path: '/openapi.yaml', methods: { GET: openapiYaml }, isOpen: true });
  route({ path: '/openapi.json', methods: { GET: openapiJson }, isOpen: true });
  route({ path: '/docs', methods: { GET: docsPage }, isOpen: true });
  route({ path: '/', methods: { GET: homePage }, isOpen: true });
  route({ path: '/assets/:file', methods: { GET: asset }, isOpen: true });
  app.notFound(endpoint({ path: '(unknown)', methods: {} }));
  return app;
}

/** A request without a Host (HTTP/1.0) has a bare path for its address, in which Hono would look for a host. */
function pathOf(request: Request): string {
  return getPath(request.url.startsWith('/') ? new Request(`http://localhost${request.url}`) : request);
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
