import type { Store } from '../../../src/stores/store.ts';
import type { Registry } from '../../../src/metrics/registry.ts';
import { openPostgresStore } from '../../../src/stores/postgres/open.ts';
import { openProxy, type PostgresProxy } from './proxy.ts';
import { makeDatabase, sharedServer, type Database } from '../../support/postgres/server.ts';

/** A store whose connections can be cut or frozen. */
export interface ProxiedStore extends AsyncDisposable {
  database: Database;
  proxy: PostgresProxy;
  store: Store;
}

export async function openProxiedStore(metrics?: Registry): Promise<ProxiedStore> {
  const database = await makeDatabase();
  const proxy = await openProxy(sharedServer.port);
  const store = await openPostgresStore({ address: proxy.address(database.name), metrics });
  return {
    database,
    proxy,
    store,
    async [Symbol.asyncDispose]() {
      await store.close();
      await proxy[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}
