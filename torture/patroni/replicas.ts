import type { Service } from '../../test/support/process/process.ts';
import { serve } from '../support/serve.ts';
import type { PatroniCluster } from './cluster.ts';

/** How a replica finds the leader. */
export const kinds = ['HAProxy', 'several hosts'] as const;
export type Kind = (typeof kinds)[number];

export interface Replicas extends AsyncDisposable {
  of: Record<Kind, Service[]>;
}

/** Two replicas for each kind of address; the hosts stand in another order for each. */
export async function startReplicas(cluster: PatroniCluster, program: string | undefined): Promise<Replicas> {
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
