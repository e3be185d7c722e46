import { openPostgresStore } from '../src/postgres/open.ts';
import { makeCluster, type Cluster } from '../test/support/postgres/cluster.ts';
import { petColumns, newApiKey } from './data.ts';

/** A real PostgreSQL with its default promises (fsync and synchronous_commit are on). */
export interface PostgresData extends AsyncDisposable {
  version: string;
  /** A database of its own, copied from a template with this many pets. */
  copy(pets: number): Promise<PostgresCopy>;
}

export interface PostgresCopy extends AsyncDisposable {
  address: string;
}

/** Its own cores, where there are enough; otherwise it shares those of the load generator. */
export async function openPostgresData(cores: readonly number[]): Promise<PostgresData> {
  const cluster = await makeCluster({ shared_buffers: '128MB', max_wal_size: '1GB' });
  await cluster.start();
  await pinServer(cluster, cores);
  const [row] = await cluster.run('SHOW server_version');
  const templates = new Map<number, Promise<string>>();
  let copies = 0;

  return {
    version: String(row?.['server_version']),
    async copy(pets) {
      const template = await templates.getOrInsertComputed(pets, () => makeTemplate(cluster, pets));
      const name = `round_${++copies}`;
      await cluster.run(`CREATE DATABASE ${name} TEMPLATE ${template}`);
      await cluster.run('CHECKPOINT');
      return {
        address: cluster.address(name),
        async [Symbol.asyncDispose]() {
          await cluster.run(`DROP DATABASE ${name} WITH (FORCE)`);
        },
      };
    },
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}

async function makeTemplate(cluster: Cluster, pets: number): Promise<string> {
  const name = `pets_${pets}`;
  await cluster.run(`CREATE DATABASE ${name} TEMPLATE template0`);
  const store = await openPostgresStore({ address: cluster.address(name) });
  await store.keys.createKey(newApiKey());
  await store.close();
  const { name: petName, categoryId, status } = petColumns;
  await cluster.run(
    `INSERT INTO pets (id, name, category_id, status)
     SELECT n, ${petName}, ${categoryId}, ${status} FROM generate_series(1, ${pets}) AS n`,
    name,
  );
  await cluster.run(`SELECT setval('pet_ids', ${pets})`, name);
  await cluster.run('VACUUM ANALYZE pets', name);
  return name;
}

/** The processes that it starts for its connections inherit the cores. */
async function pinServer(cluster: Cluster, cores: readonly number[]): Promise<void> {
  const file = await Bun.file(`${cluster.dataFolder}/postmaster.pid`).text();
  const [pid] = file.split('\n');
  await Bun.$`taskset -a -c -p ${cores.join(',')} ${pid}`.quiet();
}
