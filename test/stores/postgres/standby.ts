import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { copyCluster, makeCluster, superuser, type Cluster } from '../../support/postgres/cluster.ts';

/** A standby that follows the primary; the primary must be stopped while its folder is copied. */
export async function makeStandby(primary: Cluster): Promise<Cluster> {
  const { user, password } = superuser;
  const standby = await copyCluster(primary.dataFolder, {
    primary_conninfo: `host=127.0.0.1 port=${primary.port} user=${user} password=${password}`,
  });
  writeFileSync(join(standby.dataFolder, 'standby.signal'), '');
  return standby;
}

/** From now on every commit of the primary waits for a standby. */
export async function requireStandby(primary: Cluster): Promise<void> {
  await setSynchronousNames(primary, '*');
  for (;;) {
    const [row] = await primary.run(
      "SELECT count(*)::int AS standbys FROM pg_stat_replication WHERE sync_state = 'sync'",
    );
    if (row?.['standbys'] === 1) return;
    await Bun.sleep(50);
  }
}

/** From now on every commit waits for a standby that does not exist. */
export async function requireMissingStandby(primary: Cluster): Promise<void> {
  await setSynchronousNames(primary, 'nobody');
}

/** Cancels the wait of a commit for its standby, once there is one: the server then reports success, with a warning. */
export async function cancelWaitForStandby(primary: Cluster): Promise<void> {
  const cancel = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
  while ((await primary.run(cancel)).length === 0) await Bun.sleep(20);
}

async function setSynchronousNames(primary: Cluster, names: string): Promise<void> {
  await primary.run(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
  await primary.run('SELECT pg_reload_conf()');
  const current = async () =>
    (await primary.run('SHOW synchronous_standby_names'))[0]?.['synchronous_standby_names'];
  while ((await current()) !== names) await Bun.sleep(20);
}

/** A primary with a synchronous standby, both running. */
export interface Pair extends AsyncDisposable {
  first: Cluster;
  second: Cluster;
  /** Makes the second one a primary as well. Nobody tells the first one, which lives on as a primary. */
  promoteSecond(): Promise<void>;
}

export async function makePair(): Promise<Pair> {
  const first = await makeCluster();
  const second = await makeStandby(first);
  await first.start();
  await second.start();
  await requireStandby(first);
  return {
    first,
    second,
    async promoteSecond() {
      // A query that waits for the promotion could conflict with what the standby still replays, for half a minute.
      await second.run('SELECT pg_promote(wait => false)');
      while ((await second.run('SELECT pg_is_in_recovery() AS waits'))[0]?.['waits']) await Bun.sleep(20);
    },
    async [Symbol.asyncDispose]() {
      await second[Symbol.asyncDispose]();
      await first[Symbol.asyncDispose]();
    },
  };
}
