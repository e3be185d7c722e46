import { startCallers, type Recent, type Witness } from './callers.ts';
import type { PatroniCluster } from './cluster.ts';
import type { Fault } from './faults.ts';
import { prepareKeys, type KeyDelays } from './keys.ts';
import { kinds, type Kind, type Replicas } from './replicas.ts';

/** What one fault did to the replicas of one kind. */
export interface Observation {
  fault: string;
  kind: Kind;
  witness: Witness;
  keys: KeyDelays;
}

/** How long a fault may last; whoever serves again earlier is watched for a while, then it is healed. */
const longestFaultMs = 75_000;
const watchMs = 5000;

/** Breaks the cluster under load, watches until everybody is served again, heals it, and watches that, too. */
export async function observe(
  fault: Fault,
  number: string,
  cluster: PatroniCluster,
  replicas: Replicas,
): Promise<Observation[]> {
  const recent: Recent = [];
  const before = await cluster.leader();
  const measureKeys = await Promise.all(
    kinds.map((kind) => prepareKeys(cluster.addresses.haproxy, replicas.of[kind])),
  );
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
  const keys = await Promise.all(measureKeys.map((measure) => measure()));
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
