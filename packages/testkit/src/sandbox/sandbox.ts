import {
  createApp,
  createCors,
  hashKey,
  removeAbandonedFolders,
  type App,
  type Log,
  type Route,
} from 'petstore-server/embed';
import type { Fault } from './faults/fault.ts';
import { createFaults } from './faults/layer.ts';
import { pathOf, type PlannedFaults } from './faults/planned.ts';
import { openFront } from './front.ts';
import { openSeededStore } from './store.ts';

export interface SandboxOptions {
  /** 0, the default, picks a free one. */
  port?: number;
  /** The only API key. */
  apiKey?: string;
  /** Where the random numbers of the sample pets start. */
  seed?: number;
  /** How many sample pets there are. */
  count?: number;
  /** Serves the stable operations alone. */
  stableOnly?: boolean;
  /** What goes wrong with every request that names no fault itself. */
  faults?: Fault;
  /** Where the random numbers of the faults start. */
  faultSeed?: number;
  /** Put around the API, below the faults. */
  wrap?: Layer;
  log?: Log;
}

export const sandboxDefaults = {
  port: 0,
  apiKey: 'sandbox-key',
  seed: 42,
  count: 100,
  faultSeed: 1,
} as const;

/** The whole service on a store of its own, for tests. */
export interface Sandbox extends AsyncDisposable {
  url: string;
  apiKey: string;
  /** Back to the sample pets. */
  reset(): void;
  /** Closes the port and every connection, and removes the store. */
  stop(): Promise<void>;
}

/** Wraps the API: sees each request before it and each response after it. The key is one that the API accepts. */
export type Layer = (next: App['fetch'], apiKey: string) => App['fetch'];

const silent: Log = { error() {}, warn() {}, info() {}, debug() {} };
const none: Layer = (next) => next;
/** Its key is no secret, so nobody else may reach it. */
const host = '127.0.0.1';

export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { port, apiKey, seed, count, faultSeed } = { ...sandboxDefaults, ...options };
  const { stableOnly = false, faults, wrap = none, log = silent } = options;
  await using starting = new AsyncDisposableStack();
  const store = openSeededStore({ seed, count });
  starting.defer(() => store.close());
  const injected = createFaults(
    { faults, faultSeed },
    {
      cut: (request) => front.cut(peerPortOf(request)),
      shape: (request, shape) => front.shape(peerPortOf(request), shape),
    },
    (request) => app.fetch(request),
  );
  const reset = (): void => {
    store.reset();
    injected.reset();
    // A layer may remember what it saw.
    wrapped = wrap(app.fetch, apiKey);
  };
  const app = createApp({
    pets: store.pets,
    orders: store.orders,
    events: store.events,
    keys: store.keys,
    isStableOnly: stableOnly,
    log,
    fixedKeys: new Set([hashKey(apiKey)]),
    isSent: (request) => server.requestIP(request) === null,
    moreRoutes: controlRoutes(reset, injected.planned),
  });
  let wrapped = wrap(app.fetch, apiKey);
  const faulty = injected.wrap((request) => wrapped(request));
  const fetch = withCors((request) =>
    // A preflight is the browser's own request; the fault is for the one that follows.
    isControl(request) || isPreflight(request) ? app.fetch(request) : faulty(request),
  );
  const server = Bun.serve({ hostname: host, port: 0, fetch, maxRequestBodySize: Number.MAX_SAFE_INTEGER });
  starting.defer(() => server.stop(true));
  const peerPortOf = (request: Request): number => server.requestIP(request)?.port ?? 0;
  const front = await openFront({ host, port, servicePort: server.port ?? 0 });
  starting.defer(() => front.close());
  const started = starting.move();
  removeAbandonedFolders('sandbox');
  const stop = (): Promise<void> => started.disposeAsync();
  return {
    url: `http://${host}:${front.port}`,
    apiKey,
    reset,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** What a test sets from outside. These paths are no part of the API, but need the key as well. */
function controlRoutes(reset: () => void, planned: PlannedFaults): Route[] {
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

/** Lets pages of every origin call with every method and header. The outermost layer: they can read injected errors too. */
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
