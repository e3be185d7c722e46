import { createApp, createCors, type App, type Log, type Route } from 'petstore-server/embed';
import type { Wrap } from '../mutants/mutant.ts';
import type { Fault } from './faults/fault.ts';
import { createFaults } from './faults/layer.ts';
import { pathOf, type PlannedFaults } from './faults/planned.ts';
import { createJournal, type Journal } from './journal.ts';
import { openFront } from './front.ts';
import { openSeededStore } from './store.ts';

export interface SandboxOptions {
  /** The address to listen on. The default, 127.0.0.1, is reached by this machine alone. */
  host?: string;
  /** The default, 0, picks a free port. */
  port?: number;
  /** The only API key. */
  apiKey?: string;
  /** The seed of the sample pets. */
  seed?: number;
  /** The number of sample pets. */
  count?: number;
  /** Serves only the stable operations. */
  stableOnly?: boolean;
  /** The faults of every request that names none. */
  faults?: Fault;
  /** The seed of the faults. */
  faultSeed?: number;
  /** Wraps the API, below the faults. */
  wrap?: Wrap;
  /** The number of the mutant that `wrap` is, for the journal. */
  mutant?: number;
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
  const { host, port, apiKey, seed, count, faultSeed } = { ...sandboxDefaults, ...options };
  const { stableOnly = false, faults, wrap = none, mutant, log = silent } = options;
  await using starting = new AsyncDisposableStack();
  const store = await openSeededStore({ seed, count });
  starting.defer(() => store.close());
  const journal = createJournal(apiKey, mutant);
  const injected = createFaults(
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
    injected.reset();
    journal.clear();
    // A layer may have state, so wrap again.
    wrapped = wrap(app.fetch, apiKey);
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
    isSent: (request) => server.requestIP(request) === null,
    moreRoutes: controlRoutes(reset, injected.planned, journal),
  });
  let wrapped = wrap(app.fetch, apiKey);
  const faulty = injected.wrap((request) => wrapped(request));
  const kept = journal.wrap((request) =>
    // A preflight is the browser's own request; the fault is for the request that follows.
    isPreflight(request) ? app.fetch(request) : faulty(request),
  );
  const fetch = withCors((request) => (isControl(request) ? app.fetch(request) : kept(request)));
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
  const started = starting.move();
  const stop = (): Promise<void> => started.disposeAsync();
  return {
    url: `http://${reachable(host)}:${front.port}`,
    apiKey,
    reset,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** The address to call: for one that stands for all of this machine, its loopback. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

/** Lets tests control the sandbox. These paths are not part of the API, but need the key too. */
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
 * Lets pages of every origin use every method and header. This is the outermost layer, so they can read injected
 * errors.
 */
function withCors(next: App['fetch']): App['fetch'] {
  const addCorsHeaders = createCors(['*'], false);
  return async (request) => {
    const response = await next(request);
    addCorsHeaders?.(response.headers, request);
    const asked = request.headers.get('Access-Control-Request-Headers');
    if (isPreflight(request) && asked !== null) response.headers.set('Access-Control-Allow-Headers', asked);
    return response;
  };
}
