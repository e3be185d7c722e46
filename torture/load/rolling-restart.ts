import { openConnection, type RawConnection } from '../../test/support/http/raw-http.ts';
import { fixedKey, makeFolder, type Service } from '../../test/support/process/process.ts';
import { againstBroken } from '../support/against-broken.ts';
import { serve } from '../support/serve.ts';
import type { Run, TortureTest } from '../support/torture-test.ts';

const callers = 16;
const stopDelaySeconds = 2;
/** How often the balancer asks each replica whether it is ready. */
const checkEveryMs = 50;

interface Count {
  requests: number;
  failed: Map<string, number>;
}

const run: Run = async ({ rounds, report, broken }) => {
  const figures: Record<string, number> = { restarts: rounds };
  const faults: string[] = [];
  for (const [workers, restarts] of [
    [1, Math.ceil(rounds / 2)],
    [2, Math.floor(rounds / 2)],
  ] as const) {
    const name = `2 replicas of ${workers === 1 ? '1 process' : `${workers} workers`}`;
    const count: Count = { requests: 0, failed: new Map() };
    await restartReplicas(workers, restarts, count, report, broken);
    figures[`requests, ${name}`] = count.requests;
    figures[`failed, ${name}`] = [...count.failed.values()].reduce((total, times) => total + times, 0);
    faults.push(...[...count.failed].map(([kind, times]) => `${name}: ${times} requests ${kind}`));
  }
  return { figures, faults };
};

type Report = (progress: string) => void;

/** Two services on one store, and a balancer that sends callers to those that are ready. */
async function restartReplicas(
  workers: number,
  rounds: number,
  count: Count,
  report: Report,
  broken: string | undefined,
) {
  using folder = makeFolder();
  const env = { STOP_DELAY: String(stopDelaySeconds) };
  const start = () => serve({ databaseUrl: folder.database, workers, env, broken });
  const services: Service[] = [await start()];
  services.push(await start());
  using balancer = checkReadiness(() => services.map(({ url }) => url));
  const calls = startCallers(() => balancer.ready, count);
  try {
    for (let done = 1; done <= rounds; done++) {
      const index = done % 2;
      await Bun.sleep(300);
      await services[index]?.stop();
      await services[index]?.[Symbol.asyncDispose]();
      services[index] = await start();
      await balancer.untilReady(services[index].url);
      report(
        `${done} restarts of a replica, ${count.requests} requests, ${count.failed.size} kinds of failure`,
      );
    }
    await calls.stop();
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

/** Kept-alive connections, left when the service says `Connection: close`. A request that was sent must get a response. */
function startCallers(urls: () => string[], count: Count) {
  const stopping = new AbortController();
  const fail = (kind: string) => count.failed.set(kind, (count.failed.get(kind) ?? 0) + 1);
  const running = Array.from({ length: callers }, async (_, caller) => {
    let connection: RawConnection | undefined;
    for (let turn = caller; !stopping.signal.aborted; turn++) {
      connection ??= await connectToAny(urls(), turn);
      count.requests += 1;
      if (!connection) {
        fail('found nobody');
        await Bun.sleep(5);
        continue;
      }
      const isCreate = turn % 5 === 0;
      const body = JSON.stringify({ name: `caller ${caller}`, categoryId: turn });
      const response = await connection.send(isCreate ? 'POST' : 'GET', '/v1/pets', {
        key: fixedKey,
        ...(isCreate && { body }),
      });
      if (typeof response === 'string') fail(`were ${response}`);
      else if (response.status >= 400) fail(`got ${response.status}`);
      if (typeof response === 'string' || response.headers.get('Connection') === 'close') {
        connection[Symbol.dispose]();
        connection = undefined;
      }
    }
    connection?.[Symbol.dispose]();
  });
  return {
    async stop() {
      stopping.abort();
      await Promise.all(running);
    },
  };
}

async function connectToAny(urls: string[], turn: number): Promise<RawConnection | undefined> {
  for (let offset = 0; offset < urls.length; offset++) {
    const connection = await openConnection(urls[(turn + offset) % urls.length] ?? '');
    if (connection) return connection;
  }
  return undefined;
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
