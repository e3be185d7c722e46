import { once } from 'node:events';
import { usageError } from '../domain/error.ts';
import type { LogLevel } from '../domain/log.ts';
import { openStores } from '../stores.ts';
import { announce, createFirstKey, warnWithoutKeys } from './first-start.ts';
import { reservePort } from './listen.ts';
import { cannotServeMetrics } from './metrics-port.ts';
import type { ServeContext, ServeOptions } from './options.ts';
import { ownProgram } from './own-program.ts';
import { serveHere } from './service.ts';
import { catchCrashes, stopSignals, untilStopSignal } from './signals.ts';
import { loadTls } from './tls.ts';

/** A worker that dies sooner than this is restarted after a pause. */
const shortLifeMs = 1000;
const stopWithinMs = 20_000;

/** Serves from several equal processes on one port, replaces one that dies, and passes signals on. */
export async function superviseWorkers(options: ServeOptions, context: ServeContext): Promise<number> {
  const { log } = context;
  catchCrashes(log);
  const workers = new Set<Bun.Subprocess>();
  const signal = (name: NodeJS.Signals): void => workers.forEach((worker) => worker.kill(name));
  if (options.tlsCert !== undefined) process.on('SIGHUP', () => signal('SIGHUP'));
  const allOptions = await optionsOfWorkers(options);
  const { port } = allOptions[0] ?? options;
  const isEmbedded = await prepareStore(options, context);

  const stopped = Promise.withResolvers<number>();
  const ready = new Set<Bun.Subprocess>();
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

  const start = (ownOptions: ServeOptions): void => {
    const startedAt = performance.now();
    const worker = Bun.spawn([...ownProgram, 'worker'], {
      stdio: ['ignore', 'inherit', 'inherit'],
      ipc(_, sender) {
        ready.add(sender);
        if (ready.size < options.workers || announcing) return;
        announcing = sayReady();
        announcing.catch(stopped.reject);
      },
      onExit(process, exitCode, reason) {
        workers.delete(process);
        const wasReady = ready.delete(process);
        if (isStopping) {
          if (workers.size === 0) stopped.resolve(0);
        } else if (!announcing && !wasReady && exitCode !== null && exitCode > 0) {
          // It reported why it cannot start; another worker could not either.
          stopped.resolve(exitCode);
        } else {
          log.error('A worker died and is restarted.', {
            pid: process.pid,
            reason: String(reason ?? exitCode),
          });
          const livedMs = performance.now() - startedAt;
          setTimeout(() => isStopping || start(ownOptions), livedMs < shortLifeMs ? shortLifeMs : 0);
        }
      },
    });
    workers.add(worker);
    worker.send(ownOptions);
  };

  const stop = (name: NodeJS.Signals): void => {
    isStopping = true;
    signal(name);
    if (workers.size === 0) stopped.resolve(0);
  };

  allOptions.forEach(start);
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

/** Workers differ in their metrics port alone. What all of them would stumble over is reported once, here. */
async function optionsOfWorkers(options: ServeOptions): Promise<ServeOptions[]> {
  const { metricsHost, metricsPort } = options;
  await loadTls(options);
  const port = reservePort(options);
  return Array.from({ length: options.workers }, (_, index) => {
    // Each picks a free one where the number is 0.
    if (!metricsPort) return { ...options, port };
    const own = { host: metricsHost, port: metricsPort + index };
    return { ...options, port, metricsPort: reservePort(own, cannotServeMetrics) };
  });
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
  // Without its parent nobody would stop or restart the worker.
  const orphaned = once(process, 'disconnect').then(() => 'the parent is gone');
  const received = new Promise<ServeOptions>((resolve) => process.once('message', resolve));
  const options = await Promise.race([received, orphaned]);
  if (typeof options === 'string') return 0;
  return serveHere(options, openContext(options.logLevel), {
    isWorker: true,
    onReady: () => process.send?.('ready'),
    stopped: Promise.race([untilStopSignal(['SIGTERM', 'SIGINT']), orphaned]),
    hurry: orphaned,
  });
}
