import { makeFolder, type Service } from '../../test/support/process/process.ts';
import { againstBroken } from '../support/against-broken.ts';
import { failures, startCallers, type Callers } from '../support/callers.ts';
import { serve } from '../support/serve.ts';
import type { Run, TortureTest } from '../support/torture-test.ts';

const stopDelaySeconds = 2;
/** How often the balancer asks each replica whether it is ready. */
const checkEveryMs = 50;

const run: Run = async ({ rounds, report, broken }) => {
  const figures: Record<string, number> = { restarts: rounds };
  const faults: string[] = [];
  for (const [workers, restarts] of [
    [1, Math.ceil(rounds / 2)],
    [2, Math.floor(rounds / 2)],
  ] as const) {
    const name = `2 replicas of ${workers === 1 ? '1 process' : `${workers} workers`}`;
    const callers = await restartReplicas(workers, restarts, report, broken);
    figures[`requests, ${name}`] = callers.requests;
    figures[`failed, ${name}`] = failures(callers);
    faults.push(...[...callers.failed].map(([kind, times]) => `${name}: ${times} requests ${kind}`));
  }
  return { figures, faults };
};

type Report = (progress: string) => void;

/** Two services on one store, and a balancer that sends callers to those that are ready. */
async function restartReplicas(
  workers: number,
  rounds: number,
  report: Report,
  broken: string | undefined,
): Promise<Callers> {
  using folder = makeFolder();
  const env = { STOP_DELAY: String(stopDelaySeconds) };
  const start = () => serve({ databaseUrl: folder.database, workers, env, broken });
  const services: Service[] = [await start()];
  services.push(await start());
  using balancer = checkReadiness(() => services.map(({ url }) => url));
  const callers = startCallers({ urls: () => balancer.ready });
  try {
    for (let done = 1; done <= rounds; done++) {
      const index = done % 2;
      await Bun.sleep(300);
      await services[index]?.stop();
      await services[index]?.[Symbol.asyncDispose]();
      services[index] = await start();
      await balancer.untilReady(services[index].url);
      report(`${done} restarts of a replica, ${callers.requests} requests, ${failures(callers)} failed`);
    }
    await callers.stop();
    return callers;
  } finally {
    for (const service of services) await service[Symbol.asyncDispose]();
  }
}

function checkReadiness(urls: () => string[]) {
  let ready = urls();
  const stopping = new AbortController();
  const isReady = (url: string) =>
    fetch(`${url}/readyz`, { keepalive: false }).then(
      ({ ok }) => ok,
      () => false,
    );
  const checking = (async () => {
    while (!stopping.signal.aborted) {
      const all = urls();
      const found = await Promise.all(all.map(isReady));
      ready = all.filter((_, index) => found[index]);
      await Bun.sleep(checkEveryMs);
    }
  })();
  return {
    get ready() {
      return ready;
    },
    async untilReady(url: string) {
      while (!ready.includes(url)) await Promise.race([Bun.sleep(checkEveryMs), checking]);
    },
    [Symbol.dispose]: () => stopping.abort(),
  };
}

export const rollingRestart: TortureTest = {
  name: 'rolling-restart',
  description:
    'rolling restarts under keep-alive load, of 2 replicas with 1 process and with 2 workers each, behind a balancer that checks /readyz',
  passesWhen: '0 failed requests',
  rounds: 20,
  unit: 'restarts',
  run,
  control: {
    description: 'the service closes its connections at once when it is told to stop',
    rounds: 2,
    run: againstBroken(run, 'hasty-stop'),
  },
};
