import { Journal } from '../../test/support/journal.ts';
import { randomFrom, type Random } from '../../test/support/random.ts';
import { startCallers } from '../support/callers.ts';
import { followServices } from '../support/follow-services.ts';
import { openReplicas, type Replicas } from '../support/replicas.ts';
import type { Figures, Run, RunOptions, TortureTest } from '../support/torture-test.ts';
import { openPatroniCluster, type PatroniCluster } from './cluster.ts';
import { cutOff, faults, type Fault } from './faults.ts';
import { missingForPatroni } from './programs.ts';
import { judgeOne, summaryOf, type Observation } from './verdict.ts';

const replicaCount = 3;

const breakCluster = async ({ report, seed }: RunOptions, list: readonly Fault[], isSynchronous: boolean) => {
  await using cluster = await openPatroniCluster({ isSynchronous });
  await cluster.untilHealthy();
  await using replicas = await openReplicas(replicaCount, () => ({ databaseUrl: cluster.address }));
  using mirrors = followServices(replicas.urls, seed);
  const random = randomFrom(seed);
  const observations: Observation[] = [];
  for (const [index, fault] of list.entries()) {
    const observation = await observe(fault, `${index + 1}`, cluster, replicas, random);
    observations.push(observation);
    report(`${index + 1} of ${list.length}: ${fault.name}; ${summaryOf(observation)}`);
  }
  const followed = await mirrors.stop();
  const rows = await cluster.rows();
  const judged = observations.map((one) => judgeOne(one, rows));
  const unknown = rows.filter(({ name }) =>
    observations.every(({ journal }) => !journal.attempted.has(name)),
  );
  return {
    figures: Object.assign(
      {
        faults: list.length,
        'events read by mirrors': followed.events,
        // A replica that still reads from an old primary refuses a cursor from the new one.
        'cursors refused': followed.restarts,
      } as Figures,
      ...judged.map(({ figure }) => figure),
    ) as Figures,
    faults: [
      ...judged.flatMap((one) => one.faults),
      ...(unknown.length > 0 ? [`${unknown.length} pets that nobody sent`] : []),
      ...followed.faults.map((what) => `a mirror: ${what}`),
    ],
  };
};

/** How long a fault may last. If the service recovers earlier, it is watched for a while, and then the fault is healed. */
const longestFaultMs = 75_000;
const watchMs = 5000;
const recentCount = 20;

/** Breaks the cluster under two creators and two readers of each replica, watches until everybody is served again, heals it, and watches that, too. */
async function observe(
  fault: Fault,
  number: string,
  cluster: PatroniCluster,
  { urls }: Replicas,
  random: Random,
): Promise<Observation> {
  const before = await cluster.leader();
  const journal = new Journal();
  const common = { callers: 2, pauseMs: 40, journal };
  const creators = urls.map((url, replica) =>
    startCallers({
      ...{ ...common, urls: () => [url], label: `${number}-${replica}`, createEvery: 1 },
      isPersistent: (caller) => caller === 0,
    }),
  );
  await Promise.all(creators.map((each) => each.untilSucceeded(1, watchMs)));
  // From its acknowledgement on, by whichever replica, all of them must show a pet.
  const path = () => `/v1/pets/${random.pick([...journal.acknowledged.values()].slice(-recentCount))}`;
  const readers = urls.map((url) =>
    startCallers({ ...common, urls: () => [url], createEvery: Infinity, path }),
  );
  await Bun.sleep(watchMs);
  const heal = await fault.strike(cluster);
  const deadline = performance.now() + longestFaultMs;
  const left = () => Math.max(0, deadline - performance.now());
  while (fault.movesLeader && (await cluster.leader()) === before && left() > 0) await Bun.sleep(100);
  await Promise.all(creators.map((each) => each.untilSucceeded(5, left())));
  await Bun.sleep(watchMs);
  await heal();
  await cluster.untilHealthy();
  await Bun.sleep(watchMs);
  await Promise.all([...creators, ...readers].map((each) => each.stop()));
  return { fault: fault.name, journal, creators, readers };
}

const run: Run = (options) => {
  const list = Array.from({ length: options.rounds }, (_, index) => faults[index % faults.length]!);
  return breakCluster(options, list, true);
};

export const patroni: TortureTest = {
  name: 'patroni',
  description:
    'a Patroni cluster of 3 nodes behind the shipped HAProxy configuration, broken in every way under 3 replicas',
  passesWhen:
    'lost = doubled = 0; stale reads for at most 3 s; every request gets a response; no gap past 60 s; mirrors built from events equal the listing',
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
