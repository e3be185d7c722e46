import type { Store } from '../../../src/domain/store.ts';
import { openPostgresStore } from '../../../src/postgres/open.ts';
import { superuser } from './cluster.ts';
import { openProxy, type PostgresProxy } from './proxy.ts';
import { makeDatabase, sharedServer, type Database } from './server.ts';

/** A store whose connections can be cut or frozen. */
export interface ProxiedStore extends AsyncDisposable {
  database: Database;
  proxy: PostgresProxy;
  store: Store;
}

export async function openProxiedStore(): Promise<ProxiedStore> {
  const database = await makeDatabase();
  const proxy = await openProxy(sharedServer.port);
  const { user, password } = superuser;
  const place = `127.0.0.1:${proxy.port}/${database.name}`;
  const store = await openPostgresStore({ address: `postgres://${user}:${password}@${place}` });
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
