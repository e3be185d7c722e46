import type { Log } from '../log.ts';
import { usage, type Config } from '../cli/config.ts';
import { announce, makeFirstKey, warnWithoutKeys } from './first-start.ts';
import { addressOf, loadTls, reservePort } from './listen.ts';
import { openLog } from '../cli/terminal/output.ts';
import { serveHere } from './service.ts';
import { catchCrashes, untilToldToStop } from './signals.ts';
import { openStores } from '../stores.ts';

/** A worker that dies sooner than this after its start is started again only after a pause. */
const shortLifeMs = 1000;
const stopWithinMs = 20_000;

/** As in `petstore.sh`: nothing in the folder where the service was started runs or configures a worker. */
const isolation = ['--no-env-file', '--config=/dev/null', '--tsconfig-override=/dev/null'];
/** This very program: a one-file executable starts without naming its source. */
const ownProgram = Bun.isStandaloneExecutable
  ? [process.execPath]
  : [process.execPath, ...isolation, Bun.main];

type FromWorker = 'ready';

/** Serves from several processes on one port, and starts another when one dies. */
export async function superviseWorkers(config: Config, log: Log): Promise<number> {
  catchCrashes(log);
  // What is wrong with the certificate is said once, not by every worker.
  loadTls(config);
  const port = reservePort(config);
  const isEmbedded = await prepareStore(config, log);

  const workers = new Set<Bun.Subprocess>();
  const stopped = Promise.withResolvers<number>();
  let readyCount = 0;
  let isUp = false;
  let announcing: Promise<void> | undefined;
  let isStopping = false;

  /** The first key is made in the moment it is told: one that nobody has seen is of no use. */
  const sayReady = async (): Promise<void> => {
    const address = addressOf(config, port);
    if (!isEmbedded) return announce(log, address, undefined);
    const stores = await openStores(config.databaseUrl);
    try {
      announce(log, address, await makeFirstKey(stores));
      await warnWithoutKeys(log, stores, config);
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
        if (readyCount < config.workers || isUp) return;
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
    worker.send({ ...config, port });
  };

  const stop = (signal: NodeJS.Signals): void => {
    isStopping = true;
    for (const worker of workers) worker.kill(signal);
    if (workers.size === 0) stopped.resolve(0);
  };

  for (let count = 0; count < config.workers; count++) start();
  void untilToldToStop().then((reason) => {
    log.info('stopping', { reason });
    stop('SIGTERM');
    setTimeout(
      () => {
        log.warn('Workers took too long to stop and were killed.', { count: workers.size });
        stop('SIGKILL');
      },
      config.stopDelaySeconds * 1000 + stopWithinMs,
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
async function prepareStore(config: Config, log: Log): Promise<boolean> {
  const stores = await openStores(config.databaseUrl);
  if (!stores.isEmbedded) await warnWithoutKeys(log, stores, config);
  await stores.close();
  return stores.isEmbedded;
}

/** `petstore worker`: one of the processes above. Its configuration comes from the parent, so no key shows in `ps`. */
export async function serveAsWorker(): Promise<number> {
  if (!process.connected) throw usage('Workers are started by: petstore serve --workers NUMBER');
  // A closed terminal tells every process of a group; whether it is time to stop is the parent's decision.
  process.on('SIGHUP', () => {});
  // Without its parent nobody would stop or restart it, or even tell it what to do.
  const orphaned = new Promise<string>((resolve) =>
    process.once('disconnect', () => resolve('the parent is gone')),
  );
  const configured = new Promise<Config>((resolve) => process.once('message', resolve));
  const config = await Promise.race([configured, orphaned]);
  if (typeof config === 'string') return 0;
  const exitStatus = await serveHere(config, openLog(config.logLevel), {
    isWorker: true,
    onReady: () => process.send?.('ready' satisfies FromWorker),
    toldToStop: Promise.race([untilToldToStop(['SIGTERM', 'SIGINT']), orphaned]),
    hurry: orphaned,
  });
  // The open channel to the parent would keep the process alive.
  process.disconnect?.();
  return exitStatus;
}
