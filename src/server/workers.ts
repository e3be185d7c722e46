import { once } from 'node:events';
import { usageError } from '../domain/error.ts';
import { describeError, type LogLevel } from '../system/log.ts';
import { storeAt } from '../stores/open.ts';
import { catchCrashes, untilStopSignal } from '../system/signals.ts';
import { announce, serveHere, stopDelayOf, storeOptions } from './service.ts';
import { loadTls, reservePort } from './listener.ts';
import type { ServeContext, ServeOptions } from './options.ts';

/** The pause before restarting a worker, so that one that dies at once does not keep the machine busy. */
const restartAfterMs = 1000;

/** Serves from several equal processes on one port, replaces those that die, and forwards signals. */
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
  // Create the schema now, so that workers do not race to do it.
  const store = await storeAt(options.databaseUrl).open(storeOptions(options, context));

  const stopped = Promise.withResolvers<number>();
  const ready = new Set<Bun.Subprocess>();
  /** Set once all workers are up for the first time. */
  let announcing: Promise<void> | undefined;
  let isStopping = false;

  /** Creates the first key only now: a failed start must not create a key that nobody sees. */
  const announceOnce = async (): Promise<void> => {
    const { port } = allOptions[0] ?? options;
    try {
      await announce(store, options, context, port);
    } finally {
      await store.close();
    }
  };

  const start = (ownOptions: ServeOptions): void => {
    const worker = Bun.spawn([...command], {
      stdio: ['ignore', 'inherit', 'inherit'],
      ipc(_, sender) {
        ready.add(sender);
        if (ready.size < options.workers || announcing) return;
        announcing = announceOnce();
        announcing.catch(stopped.reject);
      },
      onExit(process, exitCode, reason) {
        workers.delete(process);
        const wasReady = ready.delete(process);
        if (isStopping) {
          if (workers.size === 0) stopped.resolve(0);
        } else if (!announcing && !wasReady && exitCode !== null && exitCode > 0) {
          // The worker reported why it cannot start; another one could not either.
          stopped.resolve(exitCode);
        } else {
          log.error('A worker died and is restarted.', {
            pid: process.pid,
            reason: String(reason ?? exitCode),
          });
          restart(ownOptions);
        }
      },
    });
    workers.add(worker);
    worker.send(ownOptions);
  };

  const restart = (ownOptions: ServeOptions): void => {
    setTimeout(() => {
      if (isStopping) return;
      try {
        start(ownOptions);
      } catch (error) {
        // The machine lacks memory or processes, or the program is being replaced. The other workers continue.
        log.error('A worker could not be started.', { error: describeError(error) });
        restart(ownOptions);
      }
    }, restartAfterMs);
  };

  const stop = (name: NodeJS.Signals): void => {
    isStopping = true;
    signal(name);
    if (workers.size === 0) stopped.resolve(0);
  };

  // A second signal ends this process, and nothing else would end the workers.
  process.on('exit', () => signal('SIGKILL'));
  void untilStopSignal().then((reason) => {
    const delaySeconds = stopDelayOf(options, reason);
    log.info('stopping', { reason, delaySeconds });
    stop(reason);
  });
  try {
    allOptions.forEach(start);
    return await stopped.promise;
  } finally {
    stop('SIGKILL');
    await (announcing ?? store.close());
  }
}

/** Workers differ only in their metrics port. A problem that would affect all of them is reported once, here. */
async function optionsOfWorkers(options: ServeOptions): Promise<ServeOptions[]> {
  const { metricsHost, metricsPort } = options;
  await loadTls(options);
  const port = reservePort(options);
  return Array.from({ length: options.workers }, (_, index) => {
    // Port 0 lets each worker pick a free one.
    if (!metricsPort) return { ...options, port };
    const own = { host: metricsHost, port: metricsPort + index };
    return { ...options, port, metricsPort: reservePort(own, 'metrics-') };
  });
}

/** Runs one worker. Its options come from the parent, so no key shows in `ps`. */
export async function serveAsWorker(openContext: (level: LogLevel) => ServeContext): Promise<number> {
  if (!process.connected) {
    throw usageError('Workers are started by the service.', 'Run: petstore serve --workers NUMBER');
  }
  // A closing terminal signals the whole process group; the worker follows its parent.
  process.on('SIGHUP', () => {});
  // Without its parent, nothing would stop or restart the worker.
  const orphaned = once(process, 'disconnect').then(() => 'the parent is gone');
  const received = new Promise<ServeOptions>((resolve) => process.once('message', resolve));
  const options = await Promise.race([received, orphaned]);
  if (typeof options === 'string') return 0;
  return serveHere(options, openContext(options.logLevel), {
    onReady: () => process.send?.('ready'),
    stopped: Promise.race([untilStopSignal(), orphaned]),
  });
}
