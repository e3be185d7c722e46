import { findListeningSockets } from '../system/listening-sockets.ts';
import { steerConnections } from '../system/steer-connections.ts';
import { stopAccepting } from '../system/stop-accepting.ts';
import { idleTimeoutSeconds, listen, reservePort, type Fetch, type ListenOptions } from './listen.ts';
import type { ServeOptions } from './options.ts';
import type { ReplaceTls } from './tls.ts';

/** The open port. The runtime fixes the certificate of a server, so a new certificate comes with a new server. */
export interface Listener {
  readonly port: number;
  /** The peer's address until the response is sent; null after that. */
  peerOf(request: Request): string | null;
  pendingRequests(): number;
  /** Resolves once every new connection gets the certificate. Open connections stay with theirs. */
  replaceTls: ReplaceTls;
  /** Resolves once the server before accepts no more. */
  handedOver(): Promise<void>;
  /** Accepts no more; open connections are still served. */
  stopAccepting(): Promise<void>;
  stop(closeActiveConnections?: boolean): Promise<void>;
}

/** How long a connection that the kernel has begun to open may take to reach the server it was meant for. */
const openingMs = 1500;
/** Longer than any connection stays open without a request. */
const quietMs = 2 * idleTimeoutSeconds * 1000;

interface ListenerOptions extends ListenOptions {
  options: Pick<ServeOptions, 'host' | 'port' | 'workers'>;
}

export function openListener(listenOptions: ListenerOptions): Listener {
  const { options, fetch, tls: firstTls, isShared } = listenOptions;
  // A port that servers share must be free at first, which the kernel does not check.
  if (firstTls && !isShared && options.port !== 0) reservePort(options);
  let current = listen(listenOptions);
  const port = current.port ?? options.port;
  /** With those that only serve the connections they have. */
  const servers = new Set([current]);
  let handingOver = Promise.resolve();
  let isStopping = false;

  const retire = async (server: Bun.Server<undefined>, sockets: number[]): Promise<void> => {
    if (sockets.length > 0) await Bun.sleep(openingMs);
    if (isStopping) return;
    const forget = () => void servers.delete(server);
    if (await stopAccepting(sockets)) stopWhenQuiet(server, fetch, forget);
    // Not Linux: connections without a request in progress are closed.
    else void server.stop().then(forget);
  };

  return {
    port,
    peerOf: (request) => current.requestIP(request)?.address ?? null,
    pendingRequests: () => [...servers].reduce((sum, server) => sum + server.pendingRequests, 0),
    async replaceTls(tls) {
      await handingOver;
      if (isStopping) return;
      const previous = current;
      const sockets = findListeningSockets(port);
      current = listen({ ...listenOptions, options: { ...options, port }, tls });
      servers.add(current);
      // The sockets of all workers have the positions from 0 on, so this is the new one.
      if (sockets[0] !== undefined) steerConnections(sockets[0], options.workers);
      handingOver = retire(previous, sockets);
    },
    handedOver: () => handingOver,
    async stopAccepting() {
      isStopping = true;
      await stopAccepting(findListeningSockets(port));
    },
    async stop(closeActiveConnections) {
      isStopping = true;
      await Promise.all([...servers].map((server) => server.stop(closeActiveConnections)));
    },
  };
}

/** The runtime does not count connections, but it closes each that is idle for long. */
function stopWhenQuiet(server: Bun.Server<undefined>, fetch: Fetch, onStopped: () => void): void {
  let isQuiet = false;
  server.reload({
    fetch: (request) => {
      isQuiet = false;
      return fetch(request);
    },
  });
  const timer = setInterval(() => {
    if (isQuiet && server.pendingRequests === 0) {
      clearInterval(timer);
      void server.stop().then(onStopped);
    }
    isQuiet = true;
  }, quietMs);
  timer.unref();
}
