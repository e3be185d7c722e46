import { createApp, type App, type AppOptions } from '../../../src/http/app.ts';
import type { Log } from '../../../src/system/log.ts';
import type { Store } from '../../../src/stores/store.ts';
import { createChecked, type Call } from '../contract/conformance.ts';
import { stableContract, wholeContract } from '../contract/openapi.ts';
import { makeSqlitePlace, openTemporaryStore } from '../store-place.ts';

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

export interface ServiceOptions extends Partial<AppOptions> {
  openStore?: () => Promise<Store>;
}

const apiKey = 'key-of-the-tests';

export const silentLog: Log = { error() {}, warn() {}, info() {}, debug() {} };

/** The whole service on an empty store of its own, without a socket. Options given here win. */
export async function openService(options: ServiceOptions = {}): Promise<Service> {
  const { openStore = openTemporaryStore, ...appOptions } = options;
  const store = await openStore();
  const app = createApp({ ...store, log: silentLog, apiKeys: [apiKey], ...appOptions });
  const checked = createChecked(app, options.stableOnly ? stableContract : wholeContract);

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

/** On SQLite, for what does not depend on the store. */
export const openTemporarySqlite = (): Promise<Store> => openTemporaryStore(makeSqlitePlace);
