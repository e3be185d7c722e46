import { once } from 'node:events';
import { usageError } from '../domain/error.ts';
import type { LogLevel } from '../domain/log.ts';
import { mergeFamilies } from '../metrics/merge.ts';
import { createRegistry } from '../metrics/registry.ts';
import { openStores } from '../stores.ts';
import { announce, createFirstKey, warnWithoutKeys } from './first-start.ts';
import { reservePort } from './listen.ts';
import type { Listener } from './listener.ts';
import { openMetricsPort } from './metrics-port.ts';
import type { ServeContext, ServeOptions } from './options.ts';
import { ownProgram } from './own-program.ts';
import { addProcessMetrics } from './process-metrics.ts';
import { serveHere } from './service.ts';
import { catchCrashes, stopSignals, untilStopSignal } from './signals.ts';
import { loadTls, reloadTlsOnHangup, type Tls } from './tls.ts';
import { createWorkerMetrics, isMetricsReply, metricsRequest } from './worker-metrics.ts';
import { createWorkerTls, isTlsReply, isTlsRequest, replyToTlsRequest } from './worker-tls.ts';

/** What a worker is told first. */
interface WorkerStart {
  options: ServeOptions;
  tls: Tls | undefined;
}

/** A worker that dies sooner than this is restarted after a pause. */
const shortLifeMs = 1000;
const stopWithinMs = 20_000;

/** Serves from several processes on one port, and replaces one that dies. */
export async function superviseWorkers(options: ServeOptions, context: ServeContext): Promise<number> {
  const { log } = context;
  catchCrashes(log);
  const workers = new Set<Bun.Subprocess>();
  // A bad certificate is reported once, not by every worker, and none comes back with one.
  const workerTls = createWorkerTls(workers, await loadTls(options));
  reloadTlsOnHangup(options, log, workerTls.replace);
  const port = reservePort(options);
  const workerMetrics = createWorkerMetrics(workers, (worker) => worker.send(metricsRequest));
  const ownMetrics = createRegistry();
  addProcessMetrics(ownMetrics);
  const restarts = ownMetrics
    .counter('petstore_worker_restarts_total', 'Workers that died and were started again.')
    .with({});
  const allMetrics = {
    collect: async () => mergeFamilies([await ownMetrics.collect(), await workerMetrics.collect()]),
  };
  await using resources = new AsyncDisposableStack();
  if (options.metricsPort !== undefined) resources.use(openMetricsPort(options, log, allMetrics));
  const isEmbedded = await prepareStore(options, context);

  const stopped = Promise.withResolvers<number>();
  let readyCount = 0;
  /** Set once all workers are up for the first time. */
  let announcing: Promise<void> | undefined;
  let isStopping = false;

  /** Creates the first key only now: a start that fails must not use it up unseen. */
  const sayReady = async (): Promise<void> => {
    if (!isEmbedded) return announce(context, options, port, undefined);
    const stores = await openStores(options.databaseUrl, { environment: context.environment });
    try {
      announce(context, options, port, await createFirstKey(stores, options, context));
      await warnWithoutKeys(log, stores, options);
    } finally {
      await stores.close();
    }
  };

  const start = (): void => {
    const startedAt = performance.now();
    let isReady = false;
    const worker = Bun.spawn([...ownProgram, 'worker'], {
      stdio: ['ignore', 'inherit', 'inherit'],
      ipc(message, sender) {
        if (isMetricsReply(message)) return workerMetrics.received(sender, message);
        if (isTlsReply(message)) return workerTls.received(sender, message);
        if (message !== 'ready') return;
        isReady = true;
        readyCount += 1;
        if (readyCount < options.workers || announcing) return;
        announcing = sayReady();
        announcing.catch(stopped.reject);
      },
      onExit(process, exitCode, signal) {
        workers.delete(process);
        workerMetrics.ended(process);
        workerTls.ended(process);
        if (isReady) readyCount -= 1;
        if (isStopping) {
          if (workers.size === 0) stopped.resolve(0);
        } else if (!announcing && !isReady && exitCode !== null && exitCode > 0) {
          // It reported why it cannot start; another worker could not either.
          stopped.resolve(exitCode);
        } else {
          restarts.increment();
          log.error('A worker died and is restarted.', {
            pid: process.pid,
            reason: String(signal ?? exitCode),
          });
          const livedMs = performance.now() - startedAt;
          setTimeout(() => isStopping || start(), livedMs < shortLifeMs ? shortLifeMs : 0);
        }
      },
    });
    workers.add(worker);
    worker.send({ options: { ...options, port }, tls: workerTls.current } satisfies WorkerStart);
  };

  const stop = (signal: NodeJS.Signals): void => {
    isStopping = true;
    for (const worker of workers) worker.kill(signal);
    if (workers.size === 0) stopped.resolve(0);
  };

  for (let count = 0; count < options.workers; count++) start();
  void untilStopSignal(stopSignals(options)).then((reason) => {
    log.info('stopping', { reason });
    stop('SIGTERM');
    setTimeout(
      () => {
        log.warn('Workers took too long to stop and were killed.', { count: workers.size });
        stop('SIGKILL');
      },
      options.stopDelaySeconds * 1000 + stopWithinMs,
    ).unref();
  });
  try {
    return await stopped.promise;
  } finally {
    stop('SIGKILL');
    await announcing;
  }
}

/** Creates the schema, so that workers do not race to. Returns whether the store is embedded. */
async function prepareStore(options: ServeOptions, context: ServeContext): Promise<boolean> {
  const stores = await openStores(options.databaseUrl, {
    environment: context.environment,
    onMigrated: (migration) => context.audit?.('migrate', { ...migration }),
  });
  if (!stores.isEmbedded) await warnWithoutKeys(context.log, stores, options);
  await stores.close();
  return stores.isEmbedded;
}

/** Runs `petstore worker`, one of the processes above. Its options come from the parent, so no key shows in `ps`. */
export async function serveAsWorker(openContext: (level: LogLevel) => ServeContext): Promise<number> {
  if (!process.connected) {
    throw usageError('Workers are started by the service.', 'Run: petstore serve --workers NUMBER');
  }
  // A closing terminal signals every process of the group, but the parent decides when to stop.
  process.on('SIGHUP', () => {});
  // Without its parent nobody would stop, restart or configure the worker.
  const orphaned = once(process, 'disconnect').then(() => 'the parent is gone');
  const received = new Promise<WorkerStart>((resolve) => process.once('message', resolve));
  const listening = Promise.withResolvers<Listener>();
  const workerMetrics = createRegistry();
  process.on('message', (message) => {
    if (isTlsRequest(message))
      void listening.promise.then((listener) => replyToTlsRequest(listener, message));
    if (message === metricsRequest)
      void workerMetrics.collect().then((metrics) => process.send?.({ metrics }));
  });
  const start = await Promise.race([received, orphaned]);
  if (typeof start === 'string') return 0;
  const { options, tls } = start;
  const exitStatus = await serveHere(options, openContext(options.logLevel), {
    isWorker: true,
    workerMetrics,
    workerTls: tls,
    onListening: listening.resolve,
    onReady: () => process.send?.('ready'),
    stopped: Promise.race([untilStopSignal(['SIGTERM', 'SIGINT']), orphaned]),
    hurry: orphaned,
  });
  // The open channel to the parent would keep the process alive.
  process.disconnect?.();
  return exitStatus;
}
