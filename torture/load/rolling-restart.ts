import { makeCluster } from '../../test/support/postgres/cluster.ts';
import { againstBroken } from '../support/against-broken.ts';
import { failures, startCallers } from '../support/callers.ts';
import { openReplicas } from '../support/replicas.ts';
import type { Run, TortureTest } from '../support/torture-test.ts';

const stopDelaySeconds = 2;
/** How often the balancer asks each replica whether it is ready. */
const checkEveryMs = 50;

/** Two services on one store, and a balancer that sends callers to those that are ready. */
const run: Run = async ({ rounds, report, broken }) => {
  await using cluster = await makeCluster();
  await cluster.start();
  const env = { STOP_DELAY: String(stopDelaySeconds) };
  await using replicas = await openReplicas(2, () => ({ databaseUrl: cluster.address(), env, broken }));
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
  return {
    figures: { restarts: rounds, requests: callers.requests, failed: failures(callers) },
    faults: [...callers.failed].map(([kind, times]) => `${times} requests ${kind}`),
  };
};

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
  description: 'rolling restarts of 2 replicas under keep-alive load, behind a balancer that checks /readyz',
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
