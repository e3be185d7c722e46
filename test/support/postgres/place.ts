import { openPostgresStore, openPostgresTables } from '../../../src/stores/postgres/open.ts';
import type { StorePlace } from '../store-place.ts';
import { makeDatabase, type Database } from './server.ts';

let database: Promise<Database> | undefined;

/** An empty place on the shared server. It stays until the server goes: dropping each would take longer. */
export async function makePostgresPlace(): Promise<StorePlace & { address: string }> {
  database ??= makeDatabase();
  const own = await database;
  const address = await own.makeSchema();
  return {
    address,
    open: (options = {}) => openPostgresStore({ address, ...options }),
    openTables: () => openPostgresTables({ address, mayCreate: true }),
    async readAll() {
      const schema = /search_path%3D(\w+)/.exec(address)?.[1];
      const [row] = await own.run(`SELECT schema_to_xml('${schema}', true, false, '')::text AS everything`);
      return Buffer.from(String(row?.['everything']));
    },
    async [Symbol.asyncDispose]() {},
  };
}
