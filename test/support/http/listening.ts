import { createClient, type ClientOptions, type PetstoreClient } from '../../../packages/client/src/index.ts';
import { openService, type Service, type ServiceOptions } from './service.ts';
import { listen, type Listening } from './socket.ts';

export interface ListeningService extends Service, Listening {
  /** A client of this service; repetitions do not wait long. */
  client: PetstoreClient;
  clientWith(options: Partial<ClientOptions>): PetstoreClient;
  /** Closes the port and cuts all connections. */
  goAway(): Promise<void>;
  /** Listens again, on the same port. */
  comeBack(): void;
}

/** The service on a free port of the loopback interface. */
export async function openListeningService(options: ServiceOptions = {}): Promise<ListeningService> {
  const service = await openService(options);
  let server = listen(service.app);
  const { url, port, exchange } = server;
  const clientWith = (own: Partial<ClientOptions>): PetstoreClient =>
    createClient({ baseUrl: url, apiKey: service.apiKey, retryDelayMs: 1, ...own });
  return {
    ...service,
    url,
    port,
    exchange,
    client: clientWith({}),
    clientWith,
    async goAway() {
      await server[Symbol.asyncDispose]();
    },
    comeBack() {
      server = listen(service.app, { port });
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await service.close();
    },
  };
}
