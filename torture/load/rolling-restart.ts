import { makeFolder } from '../../test/support/process/process.ts';
import { againstBroken } from '../support/against-broken.ts';
import { failures, startCallers, type Callers } from '../support/callers.ts';
import { openReplicas } from '../support/replicas.ts';
import type { Run, RunOptions, TortureTest } from '../support/torture-test.ts';

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

/** Two services on one store, and a balancer that sends callers to those that are ready. */
async function restartReplicas(
  workers: number,
  rounds: number,
  report: RunOptions['report'],
  broken: string | undefined,
): Promise<Callers> {
  using folder = makeFolder();
  const env = { STOP_DELAY: String(stopDelaySeconds) };
  await using replicas = await openReplicas(2, () => ({
    databaseUrl: folder.database,
    workers,
    env,
    broken,
  }));
  using balancer = checkReadiness(replicas.urls);
  const callers = startCallers({ urls: () => balancer.ready });
  for (let done = 1; done <= rounds; done++) {
    const index = done % 2;
    await Bun.sleep(300);
    await replicas.restart(index, 'stop');
    await balancer.untilReady(replicas.urls[index]!);
    report(`${done} restarts of a replica, ${callers.requests} requests, ${failures(callers)} failed`);
  }
  await callers.stop();
  return callers;
}

function checkReadiness(urls: readonly string[]) {
  let ready = urls;
  const stopping = new AbortController();
  const isReady = (url: string) =>
    fetch(`${url}/readyz`, { keepalive: false }).then(
      ({ ok }) => ok,
      () => false,
    );
  const checking = (async () => {
    while (!stopping.signal.aborted) {
      const found = await Promise.all(urls.map(isReady));
      ready = urls.filter((_, index) => found[index]);
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
