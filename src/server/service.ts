import { type ApiKey, isUsable } from '../domain/api-key.ts';
import { OperatorError, PetstoreError } from '../domain/error.ts';
import { createApp } from '../http/app.ts';
import { createRegistry } from '../metrics/registry.ts';
import { type IssuedKey, issueKey } from '../stores/issue-key.ts';
import { storeAt } from '../stores/open.ts';
import type { Store } from '../stores/store.ts';
import type { Log } from '../system/log.ts';
import { catchCrashes, untilStopSignal } from '../system/signals.ts';
import {
  addressOf,
  type Listener,
  loadTls,
  openListener,
  openMetricsPort,
  refuseTakenPort,
  stopListening,
} from './listener.ts';
import { type ServeOptions, warnOfNoKey, warnOfSettings } from './options.ts';

/** How long accepted requests may take after a stop signal. */
const drainMs = 10_000;
/** How long the store may take to finish its writes and close. */
const closeMs = 8000;

/** What the service gets from its process. */
export interface ServeContext {
  log: Log;
  /** Shows the store's first key to the person who started the service, and never logs it. Fails if that is impossible. */
  showFirstKey: (key: string, address: string) => Promise<void>;
}

/** Serves until the process is told to stop, then closes everything that it opened. */
export async function serve(options: ServeOptions, context: ServeContext): Promise<void> {
  const stopped = untilStopSignal();
  const { log } = context;
  catchCrashes(log);
  warnOfSettings(options, log);
  const metrics = options.metricsPort === undefined ? undefined : createRegistry();
  // Open both ports before the store, so that a port in use leaves nothing behind.
  await using resources = new AsyncDisposableStack();
  if (metrics) resources.use(openMetricsPort(options, log, metrics));
  refuseTakenPort(options);
  const tls = await loadTls(options);
  if (tls) {
    const name = 'petstore_tls_certificate_expiry_timestamp_seconds';
    metrics?.gauge(name, 'When the certificate in use expires.', () => tls.expiresAt.getTime() / 1000);
  }
  const location = storeAt(options.databaseUrl);
  const store = await location.open({
    log,
    metrics,
    onMade: () => log.info('made a new store', { store: location.name }),
  });
  let listener: Listener | undefined;
  let isStopping = false;
  metrics?.gauge('http_server_active_requests', 'Requests under way.', () => listener?.pendingRequests ?? 0);
  const app = createApp({
    ...options,
    ...store,
    log,
    metrics,
    // The runtime forgets the peer of a request once its response is sent.
    peerOf: (request) => listener?.requestIP(request)?.address,
    isStopping: () => isStopping,
    isSecure: tls !== undefined,
  });
  try {
    listener = openListener({ options, tls, fetch: app.fetch });
    await announce(store, options, context, listener.port ?? options.port);

    const reason = await stopped;
    isStopping = true;
    // A service manager sends SIGTERM, and load balancers need time to notice. SIGINT comes from a person.
    const delaySeconds = reason === 'SIGTERM' ? options.stopDelaySeconds : 0;
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
}

async function within(deadlineMs: number, work: Promise<void>, onLate: () => void): Promise<void> {
  const deadline = setTimeout(onLate, deadlineMs);
  await work.finally(() => clearTimeout(deadline));
}

/** Reports that the service is up. Its first key is shown to the operator and never logged. */
async function announce(
  store: Store,
  options: ServeOptions,
  context: ServeContext,
  port: number,
): Promise<void> {
  const { log, showFirstKey } = context;
  const first = await createFirstKey(store, options);
  const isUsableNow = (key: ApiKey): boolean => isUsable(key, Date.now());
  if (options.apiKeys.length === 0 && !(await store.keys.listKeys()).some(isUsableNow)) warnOfNoKey(log);
  const address = addressOf(options, port);
  log.info('ready', {
    address,
    console: options.stableOnly ? undefined : address,
    docs: `${address}/docs`,
    store: storeAt(options.databaseUrl).name,
  });
  if (!first) return;
  // The service keeps running even if its key cannot be shown.
  await showFirstKey(first.text, address).catch(() => {
    log.warn('The first API key could not be shown. Create another: petstore keys create --name NAME');
  });
}

/**
 * Creates a key in an embedded store that has none, so that the first request needs no other command. `API_KEYS` makes
 * this unnecessary.
 */
async function createFirstKey(
  { keys }: Store,
  { apiKeys, databaseUrl }: ServeOptions,
): Promise<IssuedKey | undefined> {
  const isEmbedded = storeAt(databaseUrl).path !== undefined;
  if (!isEmbedded || apiKeys.length > 0 || (await keys.listKeys()).length > 0) return undefined;
  try {
    return await issueKey(keys, { name: 'first-start', now: new Date() });
  } catch (error) {
    if (!(error instanceof PetstoreError)) throw error;
    throw new OperatorError(
      'The store is new and its first API key could not be written.',
      'Make room on the disk, or choose another file with --database-url.',
    );
  }
}
