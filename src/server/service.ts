import { hashKey } from '../api-key.ts';
import { createApp } from '../http/app.ts';
import type { LogFields } from '../log.ts';
import { stopAccepting } from '../linux/stop-accepting.ts';
import { createRegistry, type Registry } from '../metrics/registry.ts';
import { openStores } from '../stores.ts';
import { reportBackups, scheduleBackups, type BackupSchedule } from './backups.ts';
import { announce, createFirstKey, warnWithoutKeys } from './first-start.ts';
import { listen, loadTls } from './listen.ts';
import { openMetricsPort } from './metrics-port.ts';
import type { ServeContext, ServeOptions } from './options.ts';
import { addProcessMetrics } from './process-metrics.ts';
import { catchCrashes, untilStopSignal } from './signals.ts';

/** How long accepted requests may take after a stop signal. */
const drainMs = 10_000;
/** How long the store may take to finish its writes and close. */
const closeMs = 8000;
/** How long responses on open connections ask callers to connect anew elsewhere. */
const lastCallMs = 300;
/** The same behind proxies, which keep connections open that they rarely use. */
const lastCallToProxiesMs = 1000;

const never = new Promise<never>(() => {});

/** How this process starts and stops. */
interface Lifecycle {
  /** True for one of several processes on the port: their parent prepares the store and announces the service. */
  isWorker?: boolean;
  /** Where a worker keeps its figures; its parent serves them. */
  workerMetrics?: Registry;
  onReady?: () => void;
  /** Resolves with the reason when it is time to stop. */
  stopped?: Promise<string>;
  /** Resolves when there is no time to wait for load balancers. */
  hurry?: Promise<unknown>;
}

/** Serves from this process until it is time to stop, and closes everything it opened. */
export async function serveHere(
  options: ServeOptions,
  context: ServeContext,
  lifecycle: Lifecycle = {},
): Promise<number> {
  const { isWorker = false, workerMetrics, onReady, stopped = untilStopSignal(), hurry = never } = lifecycle;
  const { log, environment } = context;
  catchCrashes(log);
  const metrics = options.metricsPort === undefined ? undefined : (workerMetrics ?? createRegistry());
  if (metrics) addProcessMetrics(metrics);
  // First of all, so that a port that is taken leaves nothing behind; and open until the end.
  await using resources = new AsyncDisposableStack();
  if (metrics && !isWorker) {
    reportBackups(metrics, options.databaseUrl);
    resources.use(openMetricsPort(options, log, metrics));
  }
  const tls = await loadTls(options);
  const stores = await openStores(options.databaseUrl, {
    environment,
    log,
    metrics,
    recordsOrders: options.experimental,
    onMigrated: (migration) => context.audit?.('migrate', { ...migration }),
  });
  log.debug('settings', shownSettings(options));
  let server: Bun.Server<undefined> | undefined;
  let backups: BackupSchedule | undefined;
  let isStopping = false;
  let isDraining = false;
  metrics?.gauge(
    'http_server_active_requests',
    'Requests under way.',
    'sum',
    () => server?.pendingRequests ?? 0,
  );
  const app = createApp({
    pets: stores.pets,
    experimental: options.experimental ? stores.experimental : undefined,
    keys: stores.keys,
    log,
    metrics,
    fixedKeys: new Set(options.apiKeys.map(hashKey)),
    allowedOrigins: options.allowedOrigins,
    requestsPerMinute: options.rateLimit,
    logEveryRequest: options.accessLog,
    peerOf: (request) => server?.requestIP(request)?.address,
    trustedProxies: options.trustedProxies,
    isStopping: () => isStopping,
    isDraining: () => isDraining,
    // The runtime forgets the address of a request once its response is sent.
    isSent: (request) => server?.requestIP(request) === null,
    isSecure: tls !== undefined,
    publicUrl: options.publicUrl,
    stagingUrl: options.stagingUrl,
  });
  try {
    server = listen({ options, tls, fetch: app.fetch, reusePort: isWorker });
    const port = server.port ?? options.port;
    if (!isWorker) {
      announce(context, options, port, await createFirstKey(stores, options, context));
      await warnWithoutKeys(log, stores, options);
      backups = scheduleBackups(options, context);
    }
    onReady?.();

    const reason = await stopped;
    isStopping = true;
    log.info('stopping', { reason });
    void backups?.stop();
    await Promise.race([Bun.sleep(options.stopDelaySeconds * 1000), hurry]);
    // Not earlier: a proxy that connects anew for each request would be cut off.
    isDraining = true;
    await stopAccepting(port);
    await Bun.sleep(options.stopDelaySeconds > 0 ? lastCallToProxiesMs : lastCallMs);
    await within(drainMs, server.stop(), () => {
      log.warn('Requests took too long to finish and were cut off.', { pending: server?.pendingRequests });
      void server?.stop(true);
    });
  } finally {
    await backups?.stop();
    // After a failed start, an open port would keep the process alive.
    await server?.stop(true);
    // A hanging disk must not keep the process alive; acknowledged writes are on it already.
    await within(closeMs, stores.close(), () => {
      log.error('The store took too long to close and was abandoned.');
      process.exit(1);
    });
  }
  log.info('stopped');
  return 0;
}

/** What decides how the service behaves, without secrets: an address of a database may hold a password. */
function shownSettings(options: ServeOptions): LogFields {
  const { databaseUrl, apiKeys, ...others } = options;
  return {
    ...Object.fromEntries(Object.entries(others).map(([name, value]) => [name, String(value ?? '')])),
    isEmbedded: !/^postgres/.test(databaseUrl),
    fixedKeyCount: apiKeys.length,
  };
}

async function within(deadlineMs: number, work: Promise<void>, onLate: () => void): Promise<void> {
  const deadline = setTimeout(onLate, deadlineMs);
  await work.finally(() => clearTimeout(deadline));
}
