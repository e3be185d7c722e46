import { hashKey } from '../api-key.ts';
import { createApp, type App } from '../http/app.ts';
import type { Log } from '../log.ts';
import { addressOf, listen } from '../server/listen.ts';
import { openFront } from './front.ts';
import type { Layer } from './layer.ts';
import { openSeededStore } from './store.ts';

export interface SandboxOptions {
  host?: string | undefined;
  /** 0, the default, picks a free one. */
  port?: number | undefined;
  /** The only API key. */
  apiKey?: string | undefined;
  /** Where the random numbers of the sample pets start. */
  seed?: number | undefined;
  /** How many sample pets there are. */
  count?: number | undefined;
  /** Also serves the experimental operations. */
  experimental?: boolean | undefined;
  /** Serves the API without its deprecated operations. */
  withoutDeprecated?: boolean | undefined;
  /** Put around the API, below the faults. */
  wrap?: Layer | undefined;
  log?: Log | undefined;
}

export const sandboxDefaults = {
  host: '127.0.0.1',
  port: 0,
  apiKey: 'sandbox-key',
  seed: 42,
  count: 100,
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

export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const {
    host = sandboxDefaults.host,
    port = sandboxDefaults.port,
    apiKey = sandboxDefaults.apiKey,
  } = options;
  const { seed = sandboxDefaults.seed, count = sandboxDefaults.count, experimental = false } = options;
  const { wrap = none, log = silent } = options;
  await using starting = new AsyncDisposableStack();
  const store = openSeededStore({ seed, count, recordsOrders: experimental });
  starting.defer(() => store.close());
  const app = createApp({
    pets: store.pets,
    experimental: experimental ? store.experimental : undefined,
    keys: store.keys,
    log,
    fixedKeys: new Set([hashKey(apiKey)]),
    isSent: (request) => server.requestIP(request) === null,
  });
  const reset = (): void => store.reset();
  const fetch = withReset(reset)(wrap(app.fetch));
  const server = listen({ options: { host: '127.0.0.1', port: 0 }, tls: undefined, fetch, reusePort: false });
  starting.defer(() => server.stop(true));
  const front = await openFront({ host, port, servicePort: server.port ?? 0 });
  starting.defer(() => front.close());
  const started = starting.move();
  const stop = (): Promise<void> => started.disposeAsync();
  return {
    url: addressOf({ host, tlsCert: undefined }, front.port),
    apiKey,
    reset,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** `POST /sandbox/reset`, for programs in other languages. It is not part of the API, so it needs no key. */
function withReset(reset: () => void): Layer {
  return (next: App['fetch']) => (request) => {
    if (request.method !== 'POST' || new URL(request.url).pathname !== '/sandbox/reset') return next(request);
    reset();
    return new Response(null, { status: 204 });
  };
}
