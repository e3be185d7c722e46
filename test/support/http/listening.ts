import { createClient, type ClientOptions, type PetstoreClient } from '../../../packages/client/src/index.ts';
import { openService, type Service, type ServiceOptions } from './service.ts';

export interface ListeningService extends Service {
  url: string;
  port: number;
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
  const listen = (port: number) => Bun.serve({ hostname: '127.0.0.1', port, fetch: service.app.fetch });
  let server = listen(0);
  const port = server.port!;
  const url = `http://127.0.0.1:${port}`;
  const clientWith = (own: Partial<ClientOptions>): PetstoreClient =>
    createClient({ baseUrl: url, apiKey: service.apiKey, retryDelayMs: 1, ...own });
  return {
    ...service,
    url,
    port,
    client: clientWith({}),
    clientWith,
    goAway: () => server.stop(true),
    comeBack() {
      server = listen(port);
    },
    async [Symbol.asyncDispose]() {
      await server.stop(true);
      await service.close();
    },
  };
}
