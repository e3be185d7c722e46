import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashKey } from '../../../src/domain/api-key.ts';
import { createApp, type App, type AppOptions } from '../../../src/http/app.ts';
import type { Log } from '../../../src/system/log.ts';
import type { Store } from '../../../src/domain/store.ts';
import { openSqliteStore } from '../../../src/sqlite/open.ts';
import { createChecked, type Call } from '../contract/conformance.ts';
import { stableContract, wholeContract } from '../contract/openapi.ts';

export type { Store };

export interface Service extends Store, AsyncDisposable {
  app: App;
  /** A key that the service accepts. */
  apiKey: string;
  /** Calls with the key; throws when the response is not as the document says. */
  call: Call;
  /** The same with another `Authorization` header, or with none. */
  callAs(authorization: string | null, path: string, init?: RequestInit): Promise<Response>;
}

export interface ServiceOptions extends Partial<Omit<AppOptions, 'isStableOnly'>> {
  openStore?: () => Promise<Store>;
  stableOnly?: boolean;
}

const apiKey = 'key-of-the-tests';

export const silentLog: Log = { error() {}, warn() {}, info() {}, debug() {} };

/** The whole service on an empty store of its own, without a socket. Options given here win. */
export async function openService(options: ServiceOptions = {}): Promise<Service> {
  const { openStore = openTemporaryStore, stableOnly = false, ...appOptions } = options;
  const store = await openStore();
  const app = createApp({
    pets: store.pets,
    orders: store.orders,
    events: store.events,
    keys: store.keys,
    isStableOnly: stableOnly,
    log: silentLog,
    fixedKeys: new Set([hashKey(apiKey)]),
    ...appOptions,
  });
  const checked = createChecked(app, stableOnly ? stableContract : wholeContract);

  const callAs: Service['callAs'] = (authorization, path, init = {}) => {
    const headers = new Headers(init.headers);
    if (authorization !== null) headers.set('Authorization', authorization);
    return checked(path, { ...init, headers });
  };
  return {
    ...store,
    app,
    apiKey,
    call: (path, init) => callAs(`Bearer ${apiKey}`, path, init),
    callAs,
    [Symbol.asyncDispose]: () => store.close(),
  };
}

/** `TEST_STORE=postgres` runs every test of the API on PostgreSQL, unchanged. */
const openTemporaryStore =
  process.env['TEST_STORE'] === undefined
    ? openTemporarySqlite
    : (await import('../postgres/place.ts')).openTemporaryPostgres;

/** A new SQLite file in a folder of its own, which goes away with the store. */
export async function openTemporarySqlite(): Promise<Store> {
  const folder = await mkdtemp(join(tmpdir(), 'petstore-'));
  const store = openSqliteStore({ path: join(folder, 'petstore.db') });
  return {
    ...store,
    async close() {
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
}
