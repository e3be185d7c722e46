import { createApp, createCors, type App, type Log, type Route } from 'petstore-server/embed';
import type { Wrap } from '../mutants/mutant.ts';
import type { Fault } from './faults/fault.ts';
import { createFaults } from './faults/layer.ts';
import { pathOf, type PlannedFaults } from './faults/planned.ts';
import { createJournal, type Journal } from './journal.ts';
import { openFront } from './front.ts';
import { openSeededStore } from './store.ts';
import type { SandboxOptions as SandboxFlags } from '../testing.mjs';

export interface SandboxOptions extends Omit<SandboxFlags, 'faults'> {
  /** The faults of every request without a `Petstore-Fault` header. */
  faults?: Fault | undefined;
  /** Wraps the API, below the faults. */
  wrap?: Wrap | undefined;
  log?: Log;
}

export const sandboxDefaults = {
  host: '127.0.0.1',
  port: 0,
  apiKey: 'sandbox-key',
  seed: 42,
  count: 100,
  faultSeed: 1,
} as const;

/** The whole service with its own store, for tests. */
export interface Sandbox extends AsyncDisposable {
  url: string;
  apiKey: string;
  /** Restores the sample pets. */
  reset(): void;
  /** Closes the port and every connection, and removes the store. */
  stop(): Promise<void>;
}

const silent: Log = { error() {}, warn() {}, info() {}, debug() {} };
const none: Wrap = (next) => next;

export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const defaults = sandboxDefaults;
  const { host = defaults.host, port = defaults.port, apiKey = defaults.apiKey } = options;
  const { seed = defaults.seed, count = defaults.count, faultSeed = defaults.faultSeed } = options;
  const { stableOnly = false, faults, wrap = none, mutant, log = silent } = options;
  await using starting = new AsyncDisposableStack();
  const store = await openSeededStore({ seed, count });
  starting.defer(() => store.close());
  const journal = createJournal(apiKey, mutant);
  const faultLayer = createFaults(
    { faults, faultSeed },
    {
      cut: (request) => front.cut(peerPortOf(request)),
      shape: (request, shape) => front.shape(peerPortOf(request), shape),
      note: (request, { text, cut }) =>
        journal.noteFault(request, { text, isCut: cut !== undefined && cut !== 'mid-body' }),
    },
    (request) => app.fetch(request),
  );
  const reset = (): void => {
    store.reset();
    faultLayer.reset();
    journal.clear();
    // A layer may have state, so wrap again.
    service = wrap(app.fetch, apiKey);
  };
  const app = createApp({
    pets: store.pets,
    orders: store.orders,
    events: store.events,
    keys: store.keys,
    stableOnly,
    namesHost: true,
    log,
    apiKeys: [apiKey],
    peerOf: (request) => server.requestIP(request)?.address,
    moreRoutes: controlRoutes(reset, faultLayer.planned, journal),
  });
  let service = wrap(app.fetch, apiKey);
  const withFaults = faultLayer.wrap((request) => service(request));
  const withJournal = journal.wrap((request) =>
    // A preflight is the browser's own request; the fault is for the request that follows.
    isPreflight(request) ? app.fetch(request) : withFaults(request),
  );
  const fetch = withCors((request) => (isControl(request) ? app.fetch(request) : withJournal(request)));
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch,
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
  });
  starting.defer(() => server.stop(true));
  const peerPortOf = (request: Request): number => server.requestIP(request)?.port ?? 0;
  const front = await openFront({ host, port, servicePort: server.port ?? 0 });
  starting.defer(() => front.close());
  const resources = starting.move();
  const stop = (): Promise<void> => resources.disposeAsync();
  return {
    url: `http://${callableHost(host)}:${front.port}`,
    apiKey,
    reset,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** The host to call. An address that stands for the whole machine becomes its loopback. */
function callableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

/** The paths by which tests control the sandbox. They need the key, like those of the API. */
function controlRoutes(reset: () => void, planned: PlannedFaults, journal: Journal): Route[] {
  const done = { status: 204, headers: {}, body: null };
  return [
    {
      path: '/sandbox/reset',
      methods: {
        POST() {
          reset();
          return done;
        },
      },
    },
    {
      path: '/sandbox/requests',
      methods: {
        GET: ({ request }) => ({ status: 200, headers: {}, body: JSON.stringify(journal.list(request)) }),
        DELETE() {
          journal.clear();
          return done;
        },
      },
    },
    {
      path: '/sandbox/faults',
      methods: {
        GET: () => ({ status: 200, headers: {}, body: JSON.stringify(planned.list()) }),
        async POST({ request }) {
          await planned.add(request);
          return done;
        },
        DELETE() {
          planned.clear();
          return done;
        },
      },
    },
  ];
}

function isControl(request: Request): boolean {
  return pathOf(request).startsWith('/sandbox/');
}

function isPreflight({ method, headers }: Request): boolean {
  return method === 'OPTIONS' && headers.has('Access-Control-Request-Method');
}

/**
 * Lets pages of every origin use every method and header. It is the outermost layer, so that they can also read the
 * errors of faults.
 */
function withCors(next: App['fetch']): App['fetch'] {
  const addCorsHeaders = createCors(['*'], false);
  return async (request) => {
    const response = await next(request);
    addCorsHeaders?.(response.headers, request);
    const names = request.headers.get('Access-Control-Request-Headers');
    if (isPreflight(request) && names !== null) response.headers.set('Access-Control-Allow-Headers', names);
    return response;
  };
}
