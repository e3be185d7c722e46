import type { Cluster } from '../../support/postgres/cluster.ts';

/** From now on, every commit waits for this standby: `*` is any, `nobody` one that does not exist, and '' is none. */
export async function requireStandby(primary: Cluster, name: '*' | 'nobody' | ''): Promise<void> {
  await primary.run(`ALTER SYSTEM SET synchronous_standby_names = '${name}'`);
  await primary.run('SELECT pg_reload_conf()');
  const current = async () =>
    (await primary.run('SHOW synchronous_standby_names'))[0]?.['synchronous_standby_names'];
  while ((await current()) !== name) await Bun.sleep(20);
}
