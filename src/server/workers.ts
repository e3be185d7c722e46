import { once } from 'node:events';
import { usageError } from '../domain/error.ts';
import { describeError, type LogLevel } from '../system/log.ts';
import { storeAt } from '../stores.ts';
import { catchCrashes, stopSignals, untilStopSignal } from '../system/signals.ts';
import { announce } from './first-start.ts';
import { reservePort } from './addresses.ts';
import type { ServeContext, ServeOptions } from './options.ts';
import { serveHere, stopDelayOf, storeOptions } from './service.ts';
import { loadTls } from './tls.ts';

/** Between two starts of a worker that dies at once, or cannot be started at all. */
const restartAfterMs = 1000;
const stopWithinMs = 20_000;

/** Serves from several equal processes on one port, replaces one that dies, and passes signals on. */
export async function superviseWorkers(
  options: ServeOptions,
  context: ServeContext,
  /** The program that calls `serveAsWorker`. */
  command: readonly string[],
): Promise<number> {
  const { log } = context;
  catchCrashes(log);
  const workers = new Set<Bun.Subprocess>();
  const signal = (name: NodeJS.Signals): void => workers.forEach((worker) => worker.kill(name));
  const allOptions = await optionsOfWorkers(options);
  // Creates the schema, so that workers do not race to.
  const store = await storeAt(options.databaseUrl).open(storeOptions(options, context));

  const stopped = Promise.withResolvers<number>();
  const ready = new Set<Bun.Subprocess>();
  /** Set once all workers are up for the first time. */
  let announcing: Promise<void> | undefined;
  let isStopping = false;

  /** Creates the first key only now: a start that fails must not use it up unseen. */
  const sayReady = async (): Promise<void> => {
    const { port } = allOptions[0] ?? options;
    try {
      await announce(store, options, context, port);
    } finally {
      await store.close();
    }
  };

  const start = (ownOptions: ServeOptions): void => {
    const startedAt = performance.now();
    const worker = Bun.spawn([...command], {
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
          const isSettled = wasReady && performance.now() - startedAt > restartAfterMs;
          restart(ownOptions, isSettled ? 0 : restartAfterMs);
        }
      },
    });
    workers.add(worker);
    worker.send(ownOptions);
  };

  const restart = (ownOptions: ServeOptions, afterMs: number): void => {
    setTimeout(() => {
      if (isStopping) return;
      try {
        start(ownOptions);
      } catch (error) {
        // The machine is out of memory or processes, or the program is being replaced. The other workers go on.
        log.error('A worker could not be started.', { error: describeError(error) });
        restart(ownOptions, restartAfterMs);
      }
    }, afterMs);
  };

  const stop = (name: NodeJS.Signals): void => {
    isStopping = true;
    signal(name);
    if (workers.size === 0) stopped.resolve(0);
  };

  // A second signal ends this process, and nobody else would end the workers.
  process.on('exit', () => signal('SIGKILL'));
  void untilStopSignal(stopSignals()).then((reason) => {
    const delaySeconds = stopDelayOf(options, reason);
    log.info('stopping', { reason, delaySeconds });
    stop(reason === 'SIGTERM' ? 'SIGTERM' : 'SIGINT');
    setTimeout(
      () => {
        log.warn('Workers took too long to stop and were killed.', { count: workers.size });
        stop('SIGKILL');
      },
      delaySeconds * 1000 + stopWithinMs,
    ).unref();
  });
  try {
    allOptions.forEach(start);
    return await stopped.promise;
  } finally {
    stop('SIGKILL');
    await (announcing ?? store.close());
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
    return { ...options, port, metricsPort: reservePort(own, 'metrics-') };
  });
}

/** Serves as one of the processes above. Its options come from the parent, so no key shows in `ps`. */
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
    onReady: () => process.send?.('ready'),
    stopped: Promise.race([untilStopSignal(['SIGTERM', 'SIGINT']), orphaned]),
    hurry: orphaned,
  });
}
