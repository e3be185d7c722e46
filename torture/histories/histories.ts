import type { FollowedEvents } from '../../test/support/mirror.ts';
import { makeCluster, type Cluster } from '../../test/support/postgres/cluster.ts';
import { makeFolder, runCli } from '../../test/support/process/process.ts';
import { between, randomFrom } from '../../test/support/random.ts';
import { brokenLayer } from '../support/against-broken.ts';
import { followServices } from '../support/follow-services.ts';
import { issueKey } from '../support/commands.ts';
import { openReplicas } from '../support/replicas.ts';
import type { Run, RunOptions, TortureTest } from '../support/torture-test.ts';
import type { Fault } from './history.ts';
import { judgeHistory } from './judge.ts';
import { startTraffic, type Traffic } from './traffic.ts';

/** So many kills share a store at most; so its history stays short enough to judge. */
const mostKills = 3;
const operationsPerKill = 1000;
const shownHistories = 3;
/** How long after a command a key may be taken for what it was. */
const graceMs = { SQLite: 0, PostgreSQL: 1000 };
type StoreKind = keyof typeof graceMs;
const stores: readonly StoreKind[] = ['SQLite', 'PostgreSQL'];

type Found = Fault & { store: StoreKind };

async function findFaults({ rounds, seed, report, broken }: RunOptions) {
  const figures: Record<string, number> = { kills: rounds };
  const add = (name: string, count: number) => (figures[name] = (figures[name] ?? 0) + count);
  const faults: Found[] = [];
  await using cluster = await makeCluster();
  await cluster.start();
  const killsOfOne = Math.min(mostKills, Math.ceil(rounds / stores.length));
  for (let done = 0, round = 0; done < rounds; done += killsOfOne, round++) {
    const store = round % 2 === 0 ? 'SQLite' : 'PostgreSQL';
    const kills = Math.min(killsOfOne, rounds - done);
    using folder = makeFolder();
    const scene = { databaseUrl: folder.database, seed: seed + round, kills, broken };
    if (store === 'PostgreSQL') await cluster.run(`CREATE DATABASE history_${round}`);
    const { history, followed } = await disturb(
      store === 'SQLite' ? scene : { ...scene, databaseUrl: cluster.address(`history_${round}`), cluster },
    );
    const newFaults = [...judgeHistory(history, graceMs[store]), ...judgeMirrors(followed)];
    const { operations, keyUses } = history;
    add(`${store}, operations`, operations.length);
    add(`${store}, of unknown outcome`, operations.filter(({ to }) => to === Infinity).length);
    add(`${store}, with keys of the run`, keyUses.length);
    add(`${store}, events read by mirrors`, followed.events);
    for (const { history: lines = [] } of newFaults.slice(0, shownHistories)) lines.forEach(report);
    for (const fault of newFaults) faults.push({ ...fault, store });
    report(`${done + kills} kills, ${operations.length} operations on ${store}, ${faults.length} faults`);
  }
  return { figures, faults };
}

const run: Run = async (options) => {
  const { figures, faults } = await findFaults(options);
  return { figures, faults: faults.map(textOf) };
};

const textOf = ({ store, text }: Found): string => `${store}: ${text}`;

interface Scene {
  databaseUrl: string;
  cluster?: Cluster;
  seed: number;
  kills: number;
  broken: string | undefined;
}

/** Services on one store, killed and started again under traffic, while keys come and go, and mirrors follow. */
async function disturb({ databaseUrl, cluster, seed, kills, broken }: Scene) {
  const random = randomFrom(seed);
  // An embedded store has one service.
  const count = cluster ? 2 : 1;
  await using replicas = await openReplicas(count, () => ({ databaseUrl, broken }));
  using mirrors = followServices(replicas.urls, seed);
  const traffic = startTraffic(replicas.urls, kills * operationsPerKill, seed);
  const commands = changeKeys(databaseUrl, traffic);
  commands.catch(() => {});
  for (let kill = 0; kill < kills; kill++) {
    await traffic.untilOperations(between(random, operationsPerKill / 4, operationsPerKill));
    const victims = cluster ? random.pick([[0], [1], [0, 1]]) : [0];
    if (cluster && random.next() < 0.4) {
      await cluster.stop('SIGKILL');
      await cluster.start();
    } else await Promise.all(victims.map((index) => replicas.restart(index, 'kill9')));
  }
  await traffic.finished;
  await commands;
  await traffic.finish();
  return { history: traffic.history, followed: await mirrors.stop() };
}

function judgeMirrors({ faults, restarts }: FollowedEvents): Fault[] {
  const refused = restarts > 0 ? [`${restarts} cursors were refused`] : [];
  return [...faults, ...refused].map((what) => ({ kind: 'wrong mirror', text: `a mirror: ${what}` }));
}

/** Makes keys, lets callers use them and revokes them, as often as there is time. */
async function changeKeys(databaseUrl: string, traffic: Traffic): Promise<void> {
  while (!traffic.isDone()) {
    // While the database is down, no key can be made.
    const issued = await issueKey(databaseUrl).catch(() => undefined);
    if (!issued) continue;
    const life = { createdAt: performance.now(), revokingAt: Infinity, revokedAt: Infinity };
    traffic.keys.push({ key: issued.key, life });
    await traffic.untilOperations(operationsPerKill / 4);
    life.revokingAt = performance.now();
    while ((await runCli(['keys', 'revoke', issued.id, '--database-url', databaseUrl])).status !== 0);
    life.revokedAt = performance.now();
    await traffic.untilOperations(operationsPerKill / 4);
  }
}

const controls: [Fault['kind'], layer: string][] = [
  ['stale read', 'stale-reads'],
  ['missing order', 'hidden-orders'],
  ['wrong mirror', 'skipped-events'],
];

/** One fault of each kind on each store, from the program that has it; none if any is not found. */
const runControls: Run = async (options) => {
  const faultsOfAll: Found[] = [];
  for (const [kind, layer] of controls) {
    const broken = brokenLayer(layer);
    const { faults } = await findFaults({ ...options, broken, report: () => {} });
    for (const store of stores) {
      const fault = faults.find((own) => own.kind === kind && own.store === store);
      if (!fault) return { figures: {}, faults: [] };
      faultsOfAll.push(fault);
    }
  }
  return { figures: {}, faults: faultsOfAll.map(textOf) };
};

export const histories: TortureTest = {
  name: 'histories',
  description:
    'random operations and keys on a service with SQLite and on 2 with PostgreSQL, with kill -9 of services and database',
  passesWhen:
    'the responses fit one order of operations per pet, every order belongs to one change, keys count from their command on, and mirrors built from events equal the listing',
  rounds: 72,
  unit: 'kills',
  run,
  control: {
    description: 'some gets show an old pet; some orders are in no list; some pages of events leave one out',
    rounds: 2,
    run: runControls,
  },
};
