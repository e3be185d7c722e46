import { createClient, type PetstoreClient } from '../../packages/client/src/index.ts';
import { openService, type Store } from '../support/http/service.ts';

/** A client of a service on this store, without a socket. */
export async function clientOf(store: Store): Promise<PetstoreClient> {
  const { app, apiKey } = await openService({ openStore: async () => store });
  const baseUrl = 'http://petstore.example';
  return createClient({ baseUrl, apiKey, fetch: async (url, init) => app.fetch(new Request(url, init)) });
}
