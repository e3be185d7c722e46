import { createApp, hashKey, removeAbandonedFolders, type App, type Log } from 'petstore-server/embed';
import type { Fault } from './faults/fault.ts';
import { createFaults } from './faults/layer.ts';
import { openFront } from './front.ts';
import type { Layer } from './layer.ts';
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
  /** Leaves the experimental operations out. */
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
  const app = createApp({
    pets: store.pets,
    experimental: stableOnly ? undefined : store.experimental,
    keys: store.keys,
    log,
    fixedKeys: new Set([hashKey(apiKey)]),
    isSent: (request) => server.requestIP(request) === null,
  });
  const injected = createFaults(
    { faults, faultSeed },
    {
      cut: (request) => front.cut(peerPortOf(request)),
      shape: (request, shape) => front.shape(peerPortOf(request), shape),
    },
  );
  let wrapped = wrap(app.fetch, apiKey);
  const reset = (): void => {
    store.reset();
    injected.reset();
    // A layer may remember what it saw.
    wrapped = wrap(app.fetch, apiKey);
  };
  const fetch = withReset(
    reset,
    injected.wrap((request) => wrapped(request)),
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

/** `POST /sandbox/reset`, for programs in other languages. It is not part of the API, so it needs no key. */
function withReset(reset: () => void, next: App['fetch']): App['fetch'] {
  return (request) => {
    if (request.method !== 'POST' || pathOf(request) !== '/sandbox/reset') return next(request);
    reset();
    return new Response(null, { status: 204 });
  };
}

/** A request of HTTP/1.0 may have no host, and its address is a bare path. */
function pathOf({ url }: Request): string | undefined {
  return URL.parse(url, 'http://localhost')?.pathname;
}
