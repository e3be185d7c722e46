import { cannotListen } from './addresses.ts';
import type { ServeOptions } from './options.ts';
import type { Tls } from './tls.ts';

interface ListenOptions {
  options: ServeOptions;
  tls: Tls | undefined;
  fetch: (request: Request) => Response | Promise<Response>;
  /** Whether other workers of this parent share the port. */
  isShared: boolean;
}

/** The open port. */
export interface Listener {
  readonly port: number;
  /** The peer's address until the response is sent; null after that. */
  peerOf(request: Request): string | null;
  pendingRequests(): number;
  /** Stops accepting and closes idle connections; resolves once every response is sent completely. */
  stop(closeActiveConnections?: boolean): Promise<void>;
}

/** A connection that is idle for this long is closed. */
const idleTimeoutSeconds = 10;

export function openListener({ options, tls, fetch, isShared }: ListenOptions): Listener {
  const server = listen();
  return {
    port: server.port ?? options.port,
    peerOf: (request) => server.requestIP(request)?.address ?? null,
    pendingRequests: () => server.pendingRequests,
    async stop(closeActiveConnections) {
      if (!closeActiveConnections) await acceptWaiting();
      await server.stop(closeActiveConnections);
    },
  };

  function listen(): Bun.Server<undefined> {
    try {
      return Bun.serve({
        hostname: options.host,
        port: options.port,
        reusePort: isShared,
        fetch,
        idleTimeout: idleTimeoutSeconds,
        // The API checks the size itself, after the key and with its own error body.
        maxRequestBodySize: Number.MAX_SAFE_INTEGER,
        development: false,
        ...(tls && { tls: { cert: tls.cert, key: tls.key } }),
      });
    } catch (error) {
      throw cannotListen(error, options);
    }
  }
}

/** A closing port resets connections that wait to be accepted; a few turns of the event loop accept them first. */
async function acceptWaiting(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
}
