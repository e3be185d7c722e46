import { makeCluster, withoutDurability, type Cluster } from './cluster.ts';

/** A database of its own on the server that all test files share. */
export interface Database extends AsyncDisposable {
  name: string;
  address(query?: string): string;
  /** The same for another role. */
  addressAs(role: string, password: string): string;
  /** A new, empty place in this database: much quicker to make than another database. */
  makeSchema(): Promise<string>;
  run(sql: string): Promise<Record<string, unknown>[]>;
  /** Ends every connection of a store, as a restart of the server would. */
  cutConnections(): Promise<unknown>;
}

/**
 * The shared server. It starts while the first file that needs it is loaded, so that no test's time is spent on
 * it, and is gone when the test run is.
 */
export const sharedServer: Cluster = await makeCluster(withoutDurability);
await sharedServer.start();

let databases = 0;

export async function makeDatabase(): Promise<Database> {
  const name = `test_${++databases}`;
  let schemas = 0;
  await sharedServer.run(`CREATE DATABASE ${name} TEMPLATE template0`);
  const run: Database['run'] = (sql) => sharedServer.run(sql, name);
  return {
    name,
    run,
    address: (query = '') => sharedServer.address(name, query),
    addressAs: (role, password) => sharedServer.address(name).replace(/\/\/[^@]+@/, `//${role}:${password}@`),
    cutConnections: () =>
      run(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = 'petstore' AND datname = current_database()`),
    async makeSchema() {
      const schema = `place_${++schemas}`;
      await run(`CREATE SCHEMA ${schema}`);
      return sharedServer.address(name, `?options=-csearch_path%3D${schema}`);
    },
    async [Symbol.asyncDispose]() {
      await sharedServer.run(`DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}
