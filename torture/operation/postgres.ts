import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Journal } from '../../test/support/journal.ts';
import { openConnection } from '../../test/support/http/raw-http.ts';
import { fixedKey, type Service } from '../../test/support/process/process.ts';
import { copyCluster, makeCluster, superuser, type Cluster } from '../../test/support/postgres/cluster.ts';
import { openProxy, type PostgresProxy } from '../../test/support/postgres/proxy.ts';
import { percentile, round } from '../../test/support/statistics.ts';
import { add, faultsOf, judge, nothingYet, type Judgement, type Row } from '../support/judge.ts';
import { startLoad } from '../../test/support/journal.ts';
import { serve } from '../support/serve.ts';
import type { Run, RunOptions, TortureTest } from '../support/torture-test.ts';

/** Each breaks the database under load, and returns once it is whole again. */
const faults = {
  killed: async ({ cluster }: Place) => {
    await cluster.stop('SIGKILL');
    await cluster.start();
  },
  restarted: async ({ cluster }: Place) => {
    await cluster.stop();
    await cluster.start();
  },
  partitioned: async ({ proxy }: Place) => {
    proxy.freeze();
    await Bun.sleep(2000);
    proxy.thaw();
  },
};

interface Place {
  cluster: Cluster;
  proxy: PostgresProxy;
}

const breakDatabase = async ({ rounds, report, program }: RunOptions, settings: Record<string, string>) => {
  let total: Judgement = nothingYet;
  const outagesMs: number[] = [];
  {
    await using cluster = await makeCluster(settings);
    await cluster.start();
    await using proxy = await openProxy(cluster.port);
    const { user, password } = superuser;
    const databaseUrl = `postgres://${user}:${password}@127.0.0.1:${proxy.port}/postgres`;
    await using one = await serve({ databaseUrl, program });
    await using other = await serve({ databaseUrl, program });
    const journal = new Journal();
    const loads = [one, other].map(({ url }, index) =>
      startLoad({ url: () => url, creators: 8, label: `replica-${index}`, journal }),
    );
    const names = Object.keys(faults) as (keyof typeof faults)[];
    for (let done = 1; done <= rounds; done++) {
      await loads[0]?.untilAcknowledged(100);
      const name = names[done % names.length]!;
      await faults[name]({ cluster, proxy });
      outagesMs.push(...(await Promise.all([one, other].map(untilWritable))));
      report(`${done} faults (${name}), ${journal.acknowledged.size} acknowledged`);
    }
    await Promise.all(loads.map((load) => load.stop()));
    total = add(total, judge(await rowsOf(cluster), journal));
  }
  const failover =
    Object.keys(settings).length === 0 ? await failOver(program) : { judgement: nothingYet, outageMs: 0 };
  total = add(total, failover.judgement);
  const slowest = percentile(outagesMs, 1);
  return {
    figures: {
      faults: rounds,
      ...total,
      'outage once the database is back, slowest ms': round(slowest, 0),
      'outage after a failover, ms': round(failover.outageMs, 0),
    },
    faults: [...(slowest > 5000 ? [`an outage of ${round(slowest / 1000)} s`] : []), ...faultsOf(total)],
  };
};

/** A synchronous standby is promoted when its primary dies. */
async function failOver(program: string | undefined): Promise<{ judgement: Judgement; outageMs: number }> {
  const { user, password } = superuser;
  await using primary = await makeCluster();
  await using standby = await copyCluster(primary, {
    primary_conninfo: `host=127.0.0.1 port=${primary.port} user=${user} password=${password}`,
  });
  writeFileSync(join(standby.dataFolder, 'standby.signal'), '');
  await primary.start();
  await standby.start();
  await primary.run("ALTER SYSTEM SET synchronous_standby_names = '*'");
  await primary.run('SELECT pg_reload_conf()');
  const isSynchronous = async () =>
    (await primary.run("SELECT FROM pg_stat_replication WHERE sync_state = 'sync'")).length === 1;
  while (!(await isSynchronous())) await Bun.sleep(50);

  const hosts = `127.0.0.1:${primary.port},127.0.0.1:${standby.port}`;
  const databaseUrl = `postgres://${user}:${password}@${hosts}/postgres?target_session_attrs=read-write`;
  await using service = await serve({ databaseUrl, program });
  const load = startLoad({ url: () => service.url });
  await load.untilAcknowledged(300);
  await primary.stop('SIGKILL');
  await standby.run('SELECT pg_promote()');
  const outageMs = await untilWritable(service);
  await load.untilAcknowledged(100);
  await load.stop();
  return { judgement: judge(await rowsOf(standby), load.journal), outageMs };
}

async function rowsOf(cluster: Cluster): Promise<Row[]> {
  const rows = await cluster.run('SELECT id::text AS id, name FROM pets');
  return rows as unknown as Row[];
}

async function untilWritable(service: Service): Promise<number> {
  const startedAt = performance.now();
  while (performance.now() - startedAt < 60_000) {
    using connection = await openConnection(service.url);
    const response = await connection?.send('GET', '/readyz', { key: fixedKey });
    if (response instanceof Response && response.status === 200) break;
    await Bun.sleep(20);
  }
  return performance.now() - startedAt;
}

const run: Run = (options) => breakDatabase(options, {});

export const postgres: TortureTest = {
  name: 'postgres',
  description:
    'PostgreSQL killed, restarted and partitioned under 2 replicas, and failed over to a synchronous standby',
  passesWhen: 'lost = doubled = 0; serves within 5 s of the database',
  rounds: 24,
  unit: 'faults',
  run,
  control: {
    description: 'synchronous_commit=off in the database',
    rounds: 6,
    run: (options) => breakDatabase(options, { synchronous_commit: 'off', wal_writer_delay: '10s' }),
  },
};
