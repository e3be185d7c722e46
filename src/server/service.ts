import { hashKey } from '../api-key.ts';
import { createApp } from '../http/app.ts';
import type { Log } from '../log.ts';
import type { ServeOptions, Voice } from './options.ts';
import { announce, makeFirstKey, warnWithoutKeys } from './first-start.ts';
import { addressOf, listen, loadTls } from './listen.ts';
import { catchCrashes, untilToldToStop } from './signals.ts';
import { stopAccepting } from '../linux/stop-accepting.ts';
import { openStores, type Stores } from '../stores.ts';

/** How long requests that were accepted may take after the service was told to stop. */
const drainMs = 10_000;
/** How long the store may take to write what it was given and to close. */
const closeMs = 8000;
/** How long callers on open connections are told, with their responses, to come no more. */
const lastCallMs = 300;
/** The same where proxies are expected: they keep connections open that they use now and then. */
const lastCallToProxiesMs = 1000;

const never = new Promise<never>(() => {});

/** How a process is started and stopped. */
export interface Lifecycle {
  /** One of several processes on the port: the parent has opened the store and speaks to the person. */
  isWorker?: boolean;
  onReady?: () => void;
  /** Resolves when it is time to stop. */
  toldToStop?: Promise<string>;
  /** Resolves when there is no time to wait for load balancers. */
  hurry?: Promise<unknown>;
}

/** Serves from this process until it is told to stop; everything it opened is closed when it returns. */
export async function serveHere(
  options: ServeOptions,
  voice: Voice,
  lifecycle: Lifecycle = {},
): Promise<number> {
  const { isWorker = false, onReady, toldToStop = untilToldToStop(), hurry = never } = lifecycle;
  const { log } = voice;
  catchCrashes(log);
  const tls = loadTls(options);
  const stores = await openStores(options.databaseUrl, log);
  let server: Bun.Server<undefined> | undefined;
  let isStopping = false;
  let isDraining = false;
  const app = createApp({
    pets: stores.pets,
    keys: stores.keys,
    log,
    fixedKeys: new Set(options.apiKeys.map(hashKey)),
    allowedOrigins: options.allowedOrigins,
    requestsPerMinute: options.rateLimit,
    logEveryRequest: options.accessLog,
    isStopping: () => isStopping,
    isDraining: () => isDraining,
    // Of a request that is over, the runtime no longer knows the address.
    isSent: (request) => server?.requestIP(request) === null,
    isSecure: tls !== undefined,
  });
  try {
    server = listen({ options, tls, fetch: app.fetch, reusePort: isWorker });
    const port = server.port ?? options.port;
    if (!isWorker) {
      const address = addressOf(options, port);
      announce(voice, address, await makeFirstKey(stores));
      await warnWithoutKeys(log, stores, options);
    }
    onReady?.();

    const reason = await toldToStop;
    isStopping = true;
    log.info('stopping', { reason });
    await Promise.race([Bun.sleep(options.stopDelaySeconds * 1000), hurry]);
    // Not before: a proxy that has to connect anew for each request would be cut off in the middle of it.
    isDraining = true;
    await stopAccepting(port);
    await Bun.sleep(options.stopDelaySeconds > 0 ? lastCallToProxiesMs : lastCallMs);
    await stopWithin(drainMs, server, log);
  } finally {
    // A start that failed half-way must not leave a port open, which would keep the process alive.
    await server?.stop(true);
    await closeWithin(closeMs, stores, log);
  }
  log.info('stopped');
  return 0;
}

async function stopWithin(deadlineMs: number, server: Bun.Server<undefined>, log: Log): Promise<void> {
  const deadline = setTimeout(() => {
    log.warn('Requests took too long to finish and were cut off.', { pending: server.pendingRequests });
    void server.stop(true);
  }, deadlineMs);
  await server.stop();
  clearTimeout(deadline);
}

/** A disk that hangs must not keep the process from ending; what was acknowledged is on it already. */
async function closeWithin(deadlineMs: number, stores: Stores, log: Log): Promise<void> {
  const deadline = setTimeout(() => {
    log.error('The store took too long to close and was left as it is.');
    process.exit(1);
  }, deadlineMs);
  await stores.close();
  clearTimeout(deadline);
}
