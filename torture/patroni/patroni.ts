import type { Service } from '../../test/process.ts';
import { faultsOf, judge, type Row } from '../judge.ts';
import { round } from '../load.ts';
import { serve } from '../serve.ts';
import type { Figures, Run, RunOptions, TortureTest } from '../torture-test.ts';
import { startCallers, type Recent, type Witness } from './callers.ts';
import { openPatroniCluster, type PatroniCluster } from './cluster.ts';
import { cutOff, faults, type Fault } from './faults.ts';
import { missingForPatroni } from './programs.ts';
import { measureKeys, patienceMs, type KeyDelays } from './revocation.ts';

const kinds = ['HAProxy', 'several hosts'] as const;
type Kind = (typeof kinds)[number];

/** Past this the client gives up. */
const longestGapMs = 60_000;
/** How long a fault may last; whoever serves again earlier is watched for a while, then it is healed. */
const longestFaultMs = 75_000;
const watchMs = 5000;
/** The promise of SECURITY.md, for new and for revoked keys. */
const keyMs = 1000;

interface Observation {
  fault: string;
  kind: Kind;
  witness: Witness;
  keys: KeyDelays;
}

const breakCluster = async (
  { report, program }: RunOptions,
  list: readonly Fault[],
  isSynchronous: boolean,
) => {
  await using cluster = await openPatroniCluster({ isSynchronous });
  await cluster.untilHealthy();
  await using replicas = await startReplicas(cluster, program);
  const observations: Observation[] = [];
  for (const [index, fault] of list.entries()) {
    const found = await observe(fault, `${index + 1}`, cluster, replicas);
    observations.push(...found);
    const said = found.map((one) => `${one.kind}: ${summaryOf(one.witness)}`);
    report(`${index + 1} of ${list.length}: ${fault.name}; ${said.join('; ')}`);
  }
  const rows = await cluster.rows();
  const judged = observations.map((one) => judgeOne(one, rows));
  return {
    figures: Object.assign(
      { faults: list.length } as Figures,
      ...judged.map(({ figure }) => figure),
    ) as Figures,
    faults: judged.flatMap((one) => one.faults),
  };
};

/** Breaks the cluster under load, watches until everybody is served again, heals it, and watches that, too. */
async function observe(
  fault: Fault,
  number: string,
  cluster: PatroniCluster,
  replicas: Replicas,
): Promise<Observation[]> {
  const recent: Recent = [];
  const before = await cluster.leader();
  const callers = kinds.map((kind) =>
    startCallers(
      replicas.of[kind].map(({ url }) => url),
      `${number} ${kind}`,
      recent,
    ),
  );
  await Bun.sleep(watchMs);
  const heal = await fault.strike(cluster);
  const deadline = performance.now() + longestFaultMs;
  const left = () => Math.max(0, deadline - performance.now());
  while (fault.movesLeader && (await cluster.leader()) === before && left() > 0) await Bun.sleep(100);
  await Promise.all(callers.map((caller) => caller.untilAllServe(left())));
  await Bun.sleep(watchMs);
  const keys = await Promise.all(
    kinds.map((kind) => measureKeys(cluster.addresses.haproxy, replicas.of[kind])),
  );
  await heal();
  await cluster.untilHealthy();
  await Bun.sleep(watchMs);
  await Promise.all(callers.map((caller) => caller.stop()));
  return kinds.map((kind, index) => ({
    fault: fault.name,
    kind,
    witness: callers[index]!,
    keys: keys[index]!,
  }));
}

interface Replicas extends AsyncDisposable {
  of: Record<Kind, Service[]>;
}

/** Two replicas for each kind of address; the hosts stand in another order for each. */
async function startReplicas(cluster: PatroniCluster, program: string | undefined): Promise<Replicas> {
  await using started = new AsyncDisposableStack();
  const start = async (databaseUrl: string) => started.use(await serve({ databaseUrl, program }));
  const { haproxy, hosts } = cluster.addresses;
  const of = {
    HAProxy: [await start(haproxy), await start(haproxy)],
    'several hosts': [await start(hosts(0)), await start(hosts(1))],
  };
  const kept = started.move();
  return { of, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

function judgeOne({ fault, kind, witness, keys }: Observation, rows: Row[]) {
  const { journal, missed, wrong, writeGapMs } = witness;
  const judgement = judge(
    rows.filter(({ name }) => journal.attempted.has(name)),
    journal,
  );
  const there = new Set(rows.map(({ id }) => id));
  // What is not there at the end either was lost, and is counted as that.
  const stale = missed.filter(({ id }) => there.has(id)).map(({ at }) => at);
  const staleReads =
    stale.length === 0 ? '0' : `${stale.length} (over ${seconds(stale.at(-1)! - stale[0]!)})`;
  const { acknowledged, lost, doubled } = judgement;
  const problems = [
    ...faultsOf(judgement),
    ...(stale.length > 0 ? [`stale reads: ${staleReads}`] : []),
    ...[...wrong].map(([what, count]) => `${count} × ${what}`),
    ...(keys.newMs > keyMs ? [`a new key was refused for ${seconds(keys.newMs)}`] : []),
    ...(keys.revokedMs > keyMs ? [`a revoked key was accepted for ${seconds(keys.revokedMs)}`] : []),
    ...(writeGapMs > longestGapMs ? [`nothing was acknowledged for ${seconds(writeGapMs)}`] : []),
  ];
  const figure =
    `${summaryOf(witness)}; acknowledged ${acknowledged}, lost ${lost}, doubled ${doubled}, ` +
    `stale reads ${staleReads}; revoked key refused after ${seconds(keys.revokedMs)}`;
  return {
    figure: { [`${fault}, ${kind}`]: figure },
    faults: problems.map((problem) => `${fault}, ${kind}: ${problem}`),
  };
}

function seconds(ms: number): string {
  return ms === Infinity ? `more than ${patienceMs / 1000} s` : `${round(ms / 1000)} s`;
}

function summaryOf({ writeGapMs, readGapMs }: Witness): string {
  return `longest gap ${seconds(writeGapMs)} for creates, ${seconds(readGapMs)} for reads`;
}

const run: Run = (options) => {
  const list = Array.from({ length: options.rounds }, (_, index) => faults[index % faults.length]!);
  return breakCluster(options, list, true);
};

export const patroni: TortureTest = {
  name: 'patroni',
  description:
    'a Patroni cluster of 3 nodes, etcd and HAProxy, broken in every way under 4 replicas, 2 through HAProxy and 2 with several hosts in the address',
  passesWhen:
    'lost = doubled = 0; no stale read; every request gets a response; keys follow within 1 s; no gap past 60 s',
  rounds: faults.length,
  unit: 'faults',
  missing: missingForPatroni,
  run,
  control: {
    description: 'synchronous_mode=false in Patroni, and a leader cut off from its cluster',
    rounds: 1,
    run: (options) => breakCluster(options, [cutOff], false),
  },
};
