import { post } from '../../test/support/http/calls.ts';
import { fixedKey, makeFolder, sendSignal } from '../../test/support/process/process.ts';
import { makeCluster, type Cluster } from '../../test/support/postgres/cluster.ts';
import { againstBroken } from '../support/against-broken.ts';
import { add, faultsOf, figuresOf, judge, nothingYet, type Row } from '../support/judge.ts';
import { failures, startCallers, startClients, type Callers } from '../support/callers.ts';
import { missingProgram } from '../support/needs.ts';
import { openReplicas, type Replicas } from '../support/replicas.ts';
import type { Run, TortureTest } from '../support/torture-test.ts';
import { startHaproxy, startNginx, type StartProxy } from './proxies.ts';

const proxies: Record<string, StartProxy> = { HAProxy: startHaproxy, nginx: startNginx };
const replicaCount = 3;
/** Longer than HAProxy needs to find out that a replica is not ready. */
const stopDelaySeconds = 3;
/** How long a replica serves before the next one goes. */
const restMs = 1500;
const pauseMs = 20;

interface Leg {
  name: string;
  callers: Callers;
}

const run: Run = async ({ rounds, report, broken }) => {
  const legs: Leg[] = [];
  const withoutReplicas: string[] = [];
  await using cluster = await makeCluster();
  await cluster.start();
  const databaseUrl = cluster.address();
  for (const [name, startProxy] of Object.entries(proxies)) {
    using folder = makeFolder();
    const options = { databaseUrl, broken, env: { STOP_DELAY: String(stopDelaySeconds) } };
    await using replicas = await openReplicas(replicaCount, () => options);
    await using proxy = await startProxy(folder.path, replicas.urls);
    const plain = startCallers({ urls: () => [proxy.url], label: `${name}-plain`, pauseMs });
    legs.push({ name: `restarts behind ${name}`, callers: plain });
    await inTurn(rounds, async (index) => {
      await replicas.restart(index % replicaCount, 'stop');
      report(`${index + 1} restarts behind ${name}`);
    });
    await plain.stop();

    const clients = startClients(proxy.url, { label: `${name}-client`, pauseMs });
    legs.push({ name: `kill -9 behind ${name}, through the client`, callers: clients });
    await inTurn(rounds, async (index) => {
      await replicas.restart(index % replicaCount, 'kill9');
      report(`${index + 1} kills behind ${name}`);
    });
    await clients.stop();

    for (const response of await callWithoutReplicas(proxy.url, replicas)) {
      if (!errorOfApi.test(response)) withoutReplicas.push(`${name} without a replica: ${response}`);
    }
  }
  const { figures, faults } = judgeLegs(legs, rounds, await rowsOf(cluster));
  return { figures, faults: [...faults, ...withoutReplicas] };
};

/** The responses to creates while the replicas die, and after that. */
async function callWithoutReplicas(url: string, replicas: Replicas): Promise<string[]> {
  // Connections still succeed, and nobody responds.
  replicas.services.forEach(({ pid }) => sendSignal(pid, 'SIGSTOP'));
  const cut = create(url);
  await Bun.sleep(pauseMs);
  await Promise.all(replicas.services.map((service) => service.kill9()));
  const responses = [await cut, await create(url)];
  await Bun.sleep(restMs);
  return [...responses, await create(url)];
}

const errorOfApi =
  /^503 application\/json, Retry-After 1, \{"code":"unavailable","message":"[^"]+","status":503\}$/;

async function create(url: string): Promise<string> {
  const init = post({ name: 'Rex', categoryId: 1 }, { Authorization: `Bearer ${fixedKey}` });
  const response = await fetch(`${url}/v1/pets`, { ...init, keepalive: false });
  const { status, headers } = response;
  const head = `${status} ${headers.get('Content-Type')}, Retry-After ${headers.get('Retry-After')}`;
  return `${head}, ${(await response.text()).slice(0, 200)}`;
}

async function inTurn(rounds: number, act: (index: number) => Promise<void>): Promise<void> {
  for (let index = 0; index < rounds; index++) {
    await Bun.sleep(restMs);
    await act(index);
  }
  await Bun.sleep(restMs);
}

function judgeLegs(legs: readonly Leg[], rounds: number, rows: readonly Row[]) {
  const all = legs.map(({ callers: { journal } }) => {
    return judge(
      rows.filter(({ name }) => journal.attempted.has(name)),
      journal,
    );
  });
  const total = all.reduce(add, nothingYet);
  return {
    figures: {
      'restarts and kills of each kind': rounds,
      ...Object.fromEntries(
        legs.map(({ name, callers }) => [name, `${callers.requests} requests, ${failures(callers)} failed`]),
      ),
      ...figuresOf(total),
    },
    faults: [
      ...legs.flatMap(({ name, callers }) =>
        [...callers.failed].map(([kind, times]) => `${name}: ${times.length} requests ${kind}`),
      ),
      ...faultsOf(total),
    ],
  };
}

async function rowsOf(cluster: Cluster): Promise<Row[]> {
  return (await cluster.run(
    "SELECT id::text AS id, json::json ->> 'name' AS name FROM pets",
  )) as unknown as Row[];
}

export const behindProxies: TortureTest = {
  name: 'behind-proxies',
  description:
    'rolling restarts of 3 replicas behind HAProxy and nginx under keep-alive load, and kill -9 of a replica under the client',
  passesWhen:
    '0 failed requests, 0 failed calls of the client; lost = doubled = 0; without a replica, the error of the API',
  rounds: 6,
  unit: 'restarts and kills of each kind',
  missing: () =>
    missingProgram('haproxy', 'apt-get install haproxy') ??
    missingProgram('nginx', 'apt-get install nginx-light'),
  run,
  control: {
    description:
      'the service refuses its callers, and not only /readyz, while it waits for the load balancer',
    rounds: 1,
    run: againstBroken(run, 'closed-door'),
  },
};
