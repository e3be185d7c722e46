import type { Service } from '../../test/support/process/process.ts';
import { serve } from '../support/serve.ts';
import type { PatroniCluster } from './cluster.ts';

export interface Replicas extends AsyncDisposable {
  services: readonly Service[];
}

const replicaCount = 3;

export async function startReplicas(cluster: PatroniCluster): Promise<Replicas> {
  await using started = new AsyncDisposableStack();
  const services: Service[] = [];
  while (services.length < replicaCount)
    services.push(started.use(await serve({ databaseUrl: cluster.address })));
  const kept = started.move();
  return { services, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}
