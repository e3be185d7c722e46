import { openConnection, type RawConnection } from '../../test/support/http/raw-http.ts';
import { fixedKey, makeFolder, type Service } from '../../test/support/process/process.ts';
import { childrenOf } from '../../test/support/process/process-tree.ts';
import { againstBroken } from '../support/broken-program.ts';
import { serve } from '../support/serve.ts';
import type { Run, TortureTest } from '../support/torture-test.ts';

const callers = 16;

interface Count {
  requests: number;
  failed: Map<string, number>;
}

const run: Run = async ({ rounds, report, program }) => {
  const replicas: Count = { requests: 0, failed: new Map() };
  const workers: Count = { requests: 0, failed: new Map() };
  await restartReplicas(Math.ceil(rounds / 2), replicas, report, program);
  await restartWorkers(Math.floor(rounds / 2), workers, report, program);
  const sum = ({ failed }: Count) => [...failed.values()].reduce((total, count) => total + count, 0);
  const faultsOf = (what: string, { failed }: Count) =>
    [...failed].map(([kind, count]) => `${what}: ${count} requests ${kind}`);
  return {
    figures: {
      restarts: rounds,
      'requests, 2 replicas': replicas.requests,
      'failed, 2 replicas': sum(replicas),
      'requests, 2 workers': workers.requests,
      'failed, 2 workers': sum(workers),
    },
    faults: [...faultsOf('2 replicas', replicas), ...faultsOf('2 workers', workers)],
  };
};

type Report = (progress: string) => void;

/** Two services on one store. Callers go to the other one when a connection is refused, as a balancer does. */
async function restartReplicas(rounds: number, count: Count, report: Report, program: string | undefined) {
  using folder = makeFolder();
  const start = () => serve({ databaseUrl: folder.database, program });
  const services: Service[] = [await start()];
  services.push(await start());
  const calls = startCallers(() => services.map(({ url }) => url), count);
  try {
    for (let done = 1; done <= rounds; done++) {
      const index = done % 2;
      await Bun.sleep(300);
      await services[index]?.stop();
      await services[index]?.[Symbol.asyncDispose]();
      services[index] = await start();
      report(
        `${done} restarts of a replica, ${count.requests} requests, ${count.failed.size} kinds of failure`,
      );
    }
    await calls.stop();
  } finally {
    for (const service of services) await service[Symbol.asyncDispose]();
  }
}

/** One service with two workers, which are told to stop in turn; the parent starts others. */
async function restartWorkers(rounds: number, count: Count, report: Report, program: string | undefined) {
  await using service = await serve({ workers: 2, program });
  const calls = startCallers(() => [service.url], count);
  for (let done = 1; done <= rounds; done++) {
    await Bun.sleep(300);
    const [victim] = await workersOf(service, () => true);
    process.kill(victim ?? 0, 'SIGTERM');
    await workersOf(service, (pids) => !pids.includes(victim ?? 0));
    report(`${done} restarts of a worker, ${count.requests} requests, ${count.failed.size} kinds of failure`);
  }
  await calls.stop();
}

async function workersOf(service: Service, isRight: (pids: number[]) => boolean): Promise<number[]> {
  for (;;) {
    const pids = childrenOf(service.pid);
    if (pids.length === 2 && isRight(pids)) return pids;
    await Bun.sleep(10);
  }
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
  description: 'rolling restarts under keep-alive load, of 2 replicas and of 2 workers',
  passesWhen: '0 failed requests',
  rounds: 20,
  unit: 'restarts',
  run,
  control: {
    description: 'the service closes its connections at once when it is told to stop',
    rounds: 2,
    run: againstBroken(run, [
      {
        file: 'src/server/service.ts',
        find: 'await Bun.sleep(options.stopDelaySeconds > 0 ? lastCallToProxiesMs : lastCallMs);',
        replace: 'await listener.stop(true); void [lastCallToProxiesMs, lastCallMs];',
      },
    ]),
  },
};
