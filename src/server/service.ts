import { readdirSync } from 'node:fs';
import { version } from '../../package.json';
import { createApp } from '../http/app.ts';
import { createRegistry, type Registry } from '../metrics/registry.ts';
import { storeAt, type StoreOptions } from '../stores/open.ts';
import type { Log } from '../system/log.ts';
import { reportInLog } from '../system/progress.ts';
import { catchCrashes, untilStopSignal } from '../system/signals.ts';
import { announce } from './first-start.ts';
import {
  addressOf,
  addTlsMetrics,
  cannotListen,
  type Listener,
  loadTls,
  openListener,
  reservePort,
  stopListening,
} from './listener.ts';
import type { ServeContext, ServeOptions } from './options.ts';

/** How long accepted requests may take after a stop signal. */
const drainMs = 10_000;
/** How long the store may take to finish its writes and close. */
const closeMs = 8000;

/** One of several processes on the port. Their parent prepares the store and announces the service. */
interface WorkerRole {
  onReady: () => void;
  /** Resolves with the reason for stopping. */
  stopped: Promise<string>;
}

/** Serves from this process until it is told to stop, then closes everything that it opened. */
export async function serveHere(
  options: ServeOptions,
  context: ServeContext,
  worker?: WorkerRole,
): Promise<number> {
  const stopped = worker?.stopped ?? untilStopSignal();
  const { log } = context;
  catchCrashes(log);
  const metrics = options.metricsPort === undefined ? undefined : createRegistry();
  // Open both ports before the store, so that a port in use leaves nothing behind.
  await using resources = new AsyncDisposableStack();
  if (metrics) resources.use(openMetricsPort(options, log, metrics));
  if (!worker) reservePort(options);
  const tls = await loadTls(options);
  if (metrics && tls) addTlsMetrics(metrics, tls);
  const store = await storeAt(options.databaseUrl).open({ ...storeOptions(options, context), log, metrics });
  let listener: Listener | undefined;
  let isStopping = false;
  metrics?.gauge('http_server_active_requests', 'Requests under way.', () => listener?.pendingRequests ?? 0);
  const app = createApp({
    ...options,
    ...store,
    log,
    metrics,
    peerOf: (request) => listener?.requestIP(request)?.address,
    isStopping: () => isStopping,
    // The runtime forgets the peer of a request once its response is sent.
    isSent: (request) => listener?.requestIP(request) === null,
    isSecure: tls !== undefined,
  });
  try {
    listener = openListener({ options, tls, fetch: app.fetch, isShared: worker !== undefined });
    if (worker) {
      worker.onReady();
    } else {
      await announce(store, options, context, listener.port ?? options.port);
    }

    const reason = await stopped;
    isStopping = true;
    const delaySeconds = stopDelayOf(options, reason);
    log.info('stopping', { reason, delaySeconds, drainSeconds: drainMs / 1000 });
    await Bun.sleep(delaySeconds * 1000);
    // Not at the signal: readers would return at once while the port is open.
    app.stopWaiting();
    await within(drainMs, stopListening(listener), () => {
      log.warn('Requests took too long to finish and were cut off.', {
        pending: listener?.pendingRequests,
      });
      void listener?.stop(true);
    });
  } finally {
    // After a failed start, an open port would keep the process alive.
    await listener?.stop(true);
    // A hanging disk must not keep the process alive; acknowledged writes are already on disk.
    await within(closeMs, store.close(), () => {
      log.error('The store took too long to close and was abandoned.');
      process.exit(1);
    });
  }
  log.info('stopped');
  return 0;
}

/** Supervisors send SIGTERM, and load balancers need time to notice. SIGINT comes from a person. */
export function stopDelayOf({ stopDelaySeconds }: ServeOptions, reason: string): number {
  return reason === 'SIGTERM' ? stopDelaySeconds : 0;
}

/** How the service opens its store, which it may create or migrate. */
export function storeOptions({ databaseUrl }: ServeOptions, context: ServeContext): StoreOptions {
  const { log, environment, audit } = context;
  return {
    environment,
    onMade: () => log.info('made a new store', { store: storeAt(databaseUrl).name }),
    onMigrated: (migration) => audit?.('migrate', { ...migration }),
    report: reportInLog(log),
  };
}

async function within(deadlineMs: number, work: Promise<void>, onLate: () => void): Promise<void> {
  const deadline = setTimeout(onLate, deadlineMs);
  await work.finally(() => clearTimeout(deadline));
}

/** Serves `/metrics` on a separate port, which need not be open to callers of the API. */
export function openMetricsPort(
  { metricsHost: host, metricsPort: port = 0 }: ServeOptions,
  log: Log,
  registry: Registry,
): AsyncDisposable {
  addProcessMetrics(registry);
  const headers = { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8', 'Cache-Control': 'no-store' };
  try {
    const server = Bun.serve({
      hostname: host,
      port,
      // By default, Bun shares the port with other processes.
      reusePort: false,
      routes: { '/metrics': { GET: async () => new Response(await registry.render(), { headers }) } },
      fetch: () => new Response('Metrics are at /metrics.\n', { status: 404 }),
      development: false,
    });
    const address = addressOf({ host, tlsCert: undefined }, server.port ?? port);
    log.info('metrics', { address: `${address}/metrics` });
    return { [Symbol.asyncDispose]: () => server.stop(true) };
  } catch (error) {
    throw cannotListen(error, { host, port }, 'metrics-');
  }
}

/**
 * This process's resources, named after OpenTelemetry's process conventions, and its build. One name follows Prometheus
 * instead, which reserves the suffix `_count` for histograms.
 */
function addProcessMetrics(registry: Registry): void {
  registry.observedCounter('process_cpu_time_seconds_total', 'Processor time used.', () => {
    const { user, system } = process.cpuUsage();
    return [
      { labels: { cpu_mode: 'user' }, value: user / 1e6 },
      { labels: { cpu_mode: 'system' }, value: system / 1e6 },
    ];
  });
  registry.gauge('process_memory_usage_bytes', 'Physical memory in use.', () => process.memoryUsage.rss());
  registry.gauge('process_uptime_seconds', 'Time since the start.', () => process.uptime());
  // Throws, and so has no sample, without /proc or a free descriptor to read it.
  registry.gauge('process_open_fds', 'Open file descriptors.', () => readdirSync('/proc/self/fd').length);
  registry.gauge('petstore_build_info', 'The build that runs.', () => [
    { labels: { version, bun_version: Bun.version }, value: 1 },
  ]);
}
