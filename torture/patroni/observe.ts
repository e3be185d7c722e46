import { startCallers, type Recent, type Witness } from './callers.ts';
import type { PatroniCluster } from './cluster.ts';
import type { Fault } from './faults.ts';
import { prepareKeys, type KeyDelays } from './keys.ts';
import type { Replicas } from './replicas.ts';

/** What one fault did to the replicas. */
export interface Observation {
  fault: string;
  witness: Witness;
  keys: KeyDelays;
}

/** How long a fault may last. If the service recovers earlier, it is watched for a while, and then the fault is healed. */
const longestFaultMs = 75_000;
const watchMs = 5000;

/** Breaks the cluster under load, watches until everybody is served again, heals it, and watches that, too. */
export async function observe(
  fault: Fault,
  number: string,
  cluster: PatroniCluster,
  { services }: Replicas,
): Promise<Observation> {
  const recent: Recent = [];
  const before = await cluster.leader();
  const measureKeys = await prepareKeys(cluster.address, services);
  const callers = startCallers(
    services.map(({ url }) => url),
    number,
    recent,
  );
  await Bun.sleep(watchMs);
  const heal = await fault.strike(cluster);
  const deadline = performance.now() + longestFaultMs;
  const left = () => Math.max(0, deadline - performance.now());
  while (fault.movesLeader && (await cluster.leader()) === before && left() > 0) await Bun.sleep(100);
  await callers.untilAllServe(left());
  await Bun.sleep(watchMs);
  const keys = await measureKeys();
  await heal();
  await cluster.untilHealthy();
  await Bun.sleep(watchMs);
  await callers.stop();
  return { fault: fault.name, witness: callers, keys };
}
