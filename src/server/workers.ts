import { usageError } from '../error.ts';
import type { Log, LogLevel } from '../log.ts';
import type { ServeOptions, Voice } from './options.ts';
import { announce, makeFirstKey, warnWithoutKeys } from './first-start.ts';
import { addressOf, loadTls, reservePort } from './listen.ts';
import { serveHere } from './service.ts';
import { catchCrashes, untilToldToStop } from './signals.ts';
import { openStores } from '../stores.ts';

/** A worker that dies sooner than this after its start is started again only after a pause. */
const shortLifeMs = 1000;
const stopWithinMs = 20_000;

/** As in `petstore.sh`: nothing in the folder where the service was started runs or configures a worker. */
const isolation = ['--no-env-file', '--options=/dev/null', '--tsconfig-override=/dev/null'];
/** This very program: a one-file executable starts without naming its source. */
const ownProgram = Bun.isStandaloneExecutable
  ? [process.execPath]
  : [process.execPath, ...isolation, Bun.main];

type FromWorker = 'ready';

/** Serves from several processes on one port, and starts another when one dies. */
export async function superviseWorkers(options: ServeOptions, voice: Voice): Promise<number> {
  const { log } = voice;
  catchCrashes(log);
  // What is wrong with the certificate is said once, not by every worker.
  loadTls(options);
  const port = reservePort(options);
  const isEmbedded = await prepareStore(options, log);

  const workers = new Set<Bun.Subprocess>();
  const stopped = Promise.withResolvers<number>();
  let readyCount = 0;
  let isUp = false;
  let announcing: Promise<void> | undefined;
  let isStopping = false;

  /** The first key is made in the moment it is told: one that nobody has seen is of no use. */
  const sayReady = async (): Promise<void> => {
    const address = addressOf(options, port);
    if (!isEmbedded) return announce(voice, address, undefined);
    const stores = await openStores(options.databaseUrl);
    try {
      announce(voice, address, await makeFirstKey(stores));
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
      ipc(message: FromWorker) {
        if (message !== 'ready') return;
        isReady = true;
        readyCount += 1;
        if (readyCount < options.workers || isUp) return;
        isUp = true;
        announcing = sayReady();
        announcing.catch(stopped.reject);
      },
      onExit(process, exitCode, signal) {
        workers.delete(process);
        if (isReady) readyCount -= 1;
        if (isStopping) {
          if (workers.size === 0) stopped.resolve(0);
        } else if (!isUp && !isReady && exitCode !== null && exitCode > 0) {
          // At the start of the service: it has said why it cannot start, and another one could not either.
          stopped.resolve(exitCode);
        } else {
          log.error('A worker died and is started again.', {
            pid: process.pid,
            reason: String(signal ?? exitCode),
          });
          const livedMs = performance.now() - startedAt;
          setTimeout(() => isStopping || start(), livedMs < shortLifeMs ? shortLifeMs : 0);
        }
      },
    });
    workers.add(worker);
    worker.send({ ...options, port });
  };

  const stop = (signal: NodeJS.Signals): void => {
    isStopping = true;
    for (const worker of workers) worker.kill(signal);
    if (workers.size === 0) stopped.resolve(0);
  };

  for (let count = 0; count < options.workers; count++) start();
  void untilToldToStop().then((reason) => {
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

/** Makes the schema, so that no two workers try to. Tells whether the store is one that gets a first key. */
async function prepareStore(options: ServeOptions, log: Log): Promise<boolean> {
  const stores = await openStores(options.databaseUrl);
  if (!stores.isEmbedded) await warnWithoutKeys(log, stores, options);
  await stores.close();
  return stores.isEmbedded;
}

/** `petstore worker`: one of the processes above. Its configuration comes from the parent, so no key shows in `ps`. */
export async function serveAsWorker(voiceOf: (level: LogLevel) => Voice): Promise<number> {
  if (!process.connected) throw usageError('Workers are started by: petstore serve --workers NUMBER');
  // A closed terminal tells every process of a group; whether it is time to stop is the parent's decision.
  process.on('SIGHUP', () => {});
  // Without its parent nobody would stop or restart it, or even tell it what to do.
  const orphaned = new Promise<string>((resolve) =>
    process.once('disconnect', () => resolve('the parent is gone')),
  );
  const configured = new Promise<ServeOptions>((resolve) => process.once('message', resolve));
  const options = await Promise.race([configured, orphaned]);
  if (typeof options === 'string') return 0;
  const exitStatus = await serveHere(options, voiceOf(options.logLevel), {
    isWorker: true,
    onReady: () => process.send?.('ready' satisfies FromWorker),
    toldToStop: Promise.race([untilToldToStop(['SIGTERM', 'SIGINT']), orphaned]),
    hurry: orphaned,
  });
  // The open channel to the parent would keep the process alive.
  process.disconnect?.();
  return exitStatus;
}
