import { cannotListen, reservePort } from './listen.ts';
import type { ServeOptions } from './options.ts';
import type { ReplaceTls, Tls } from './tls.ts';

type Fetch = (request: Request) => Response | Promise<Response>;

interface ListenOptions {
  options: ServeOptions;
  tls: Tls | undefined;
  fetch: Fetch;
  /** Whether other workers of the same parent share the port. */
  isShared: boolean;
}

/** The open port. The runtime fixes the certificate of a server, so a new certificate comes with a new server. */
export interface Listener {
  readonly port: number;
  /** The peer's address until the response is sent; null after that. */
  peerOf(request: Request): string | null;
  pendingRequests(): number;
  /** Resolves once every new connection gets the certificate. */
  replaceTls: ReplaceTls;
  /** Accepts no more and closes idle connections; resolves once every request has its whole response. */
  stop(closeActiveConnections?: boolean): Promise<void>;
}

/** A connection that is idle for this long is closed. */
const idleTimeoutSeconds = 10;
/** How long a server with an old certificate asks its callers to connect anew. */
const handoverMs = 3000;

export function openListener({ options, tls: firstTls, fetch, isShared }: ListenOptions): Listener {
  // A port that servers share must be free at first, which the kernel does not check.
  if (firstTls && !isShared && options.port !== 0) reservePort(options);
  const listen = (port: number, tls: Tls | undefined): Bun.Server<undefined> => {
    try {
      return Bun.serve({
        hostname: options.host,
        port,
        // A new certificate needs a second server on the port.
        reusePort: isShared || tls !== undefined,
        fetch,
        idleTimeout: idleTimeoutSeconds,
        // The API checks the size itself, after the key and with its own error body.
        maxRequestBodySize: Number.MAX_SAFE_INTEGER,
        development: false,
        ...(tls && { tls: { cert: tls.cert, key: tls.key } }),
      });
    } catch (error) {
      throw cannotListen(error, { ...options, port });
    }
  };
  let current = listen(options.port, firstTls);
  const port = current.port ?? options.port;
  /** With those that were replaced and still have requests under way. */
  const servers = new Set([current]);
  let isStopping = false;

  return {
    port,
    peerOf: (request) => current.requestIP(request)?.address ?? null,
    pendingRequests: () => [...servers].reduce((sum, server) => sum + server.pendingRequests, 0),
    async replaceTls(tls) {
      if (isStopping) return;
      const previous = current;
      current = listen(port, tls);
      servers.add(current);
      // Until it stops, the kernel sends it some of the new connections.
      previous.reload({ fetch: lastResponses(fetch) });
      await Bun.sleep(handoverMs);
      await acceptWaiting();
      void previous.stop().then(() => servers.delete(previous));
    },
    async stop(closeActiveConnections) {
      isStopping = true;
      if (!closeActiveConnections) await acceptWaiting();
      await Promise.all([...servers].map((server) => server.stop(closeActiveConnections)));
    },
  };
}

/** The kernel resets connections that wait to be accepted when the port closes; some turns of the event loop leave none. */
async function acceptWaiting(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
}

/** Each response is the last one on its connection, so that none is idle when the server stops. */
function lastResponses(fetch: Fetch): Fetch {
  return async (request) => {
    const response = await fetch(request);
    response.headers.set('Connection', 'close');
    return response;
  };
}
