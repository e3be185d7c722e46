import { X509Certificate } from 'node:crypto';
import { hostname, networkInterfaces } from 'node:os';
import { OperatorError } from '../domain/error.ts';
import { addProcessMetrics } from '../metrics/process-metrics.ts';
import type { Registry } from '../metrics/registry.ts';
import { readFileOf, systemReason } from '../system/files.ts';
import type { Log } from '../system/log.ts';
import type { ServeOptions } from './options.ts';

interface ListenOptions {
  options: Pick<ServeOptions, 'host' | 'port'>;
  tls: Tls | undefined;
  fetch: (request: Request) => Response | Promise<Response>;
}

/** The open port. */
export type Listener = Bun.Server<undefined>;

/** A connection is closed if it is idle for this long before a request, or while nobody reads its response. */
const idleTimeoutSeconds = 10;
/**
 * The idle timeout while a change is handled. It exceeds the waits on PostgreSQL and the time for a body, so that the
 * caller learns the outcome.
 */
export const handlingTimeoutSeconds = 60;

export function openListener({ options, tls, fetch }: ListenOptions): Listener {
  try {
    const listener: Listener = Bun.serve({
      hostname: options.host,
      port: options.port,
      // By default, Bun shares the port with other processes.
      reusePort: false,
      fetch(request) {
        const response = fetch(request);
        // A read may be cut off, because it does not change anything.
        if (response instanceof Response || request.method === 'GET') return response;
        listener.timeout(request, handlingTimeoutSeconds);
        return response.finally(() => listener.timeout(request, idleTimeoutSeconds));
      },
      idleTimeout: idleTimeoutSeconds,
      // The API checks the size itself, after the key and with its own error body.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      development: false,
      ...(tls && { tls: { cert: tls.cert, key: tls.key } }),
    });
    return listener;
  } catch (error) {
    throw cannotListen(error, options);
  }
}

/** Stops accepting and closes idle connections; resolves once every response is sent completely. */
export async function stopListening(listener: Listener): Promise<void> {
  // A closing port resets connections that wait to be accepted; a few turns of the event loop accept them first.
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
  await listener.stop();
}

export interface Tls {
  cert: string;
  key: string;
  expiresAt: Date;
}

export async function loadTls({ tlsCert, tlsKey }: ServeOptions): Promise<Tls | undefined> {
  if (tlsCert === undefined || tlsKey === undefined) return undefined;
  const [cert, key] = [readFileOf('--tls-cert', tlsCert), readFileOf('--tls-key', tlsKey)];
  // Load it only here: it is slow, and most services leave TLS to a proxy.
  const { createSecureContext } = await import('node:tls');
  try {
    createSecureContext({ cert, key });
    return { cert, key, expiresAt: new X509Certificate(cert).validToDate };
  } catch {
    throw new OperatorError(
      `${tlsCert} and ${tlsKey} are not a certificate and its private key in PEM form.`,
      'Check both files.',
    );
  }
}

/** Serves `/metrics` on a separate port, which need not be open to callers of the API. */
export function openMetricsPort(
  { metricsHost: host, metricsPort: port = 0 }: ServeOptions,
  log: Log,
  registry: Registry,
): AsyncDisposable {
  addProcessMetrics(registry);
  const headers = { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8', 'Cache-Control': 'no-store' };
  try {
    const server = Bun.serve({
      hostname: host,
      port,
      reusePort: false,
      routes: { '/metrics': { GET: async () => new Response(await registry.render(), { headers }) } },
      fetch: () => new Response('Metrics are at /metrics.\n', { status: 404 }),
      development: false,
    });
    const address = addressOf({ host, tlsCert: undefined }, server.port ?? port);
    log.info('metrics', { address: `${address}/metrics` });
    return { [Symbol.asyncDispose]: () => server.stop(true) };
  } catch (error) {
    throw cannotListen(error, { host, port }, 'metrics-');
  }
}

/** The address to show. A service that listens on every address is shown with one that other machines can use. */
export function addressOf(options: Pick<ServeOptions, 'host' | 'tlsCert'>, port: number): string {
  const host = ['0.0.0.0', '::'].includes(options.host) ? ownHost() : options.host;
  const scheme = options.tlsCert === undefined ? 'http' : 'https';
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function ownHost(): string {
  try {
    const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
    return addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? hostname();
  } catch {
    // The systemd unit does not allow listing the network interfaces.
    return hostname();
  }
}

/** Fails if a port is taken. */
export function refuseTakenPort(address: Pick<ServeOptions, 'host' | 'port'>): void {
  try {
    Bun.listen({ hostname: address.host, port: address.port, socket: { data() {} } }).stop(true);
  } catch (error) {
    throw cannotListen(error, address);
  }
}

/** The flags are `--host` and `--port` with a prefix. */
function cannotListen(
  error: unknown,
  { host, port }: Pick<ServeOptions, 'host' | 'port'>,
  flagPrefix = '',
): OperatorError {
  const { code, errno } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') {
    return new OperatorError(
      `Port ${port} on ${host} is taken.`,
      `Stop the program that uses it, or choose another port with --${flagPrefix}port.`,
    );
  }
  // Bun gives no other detail if a host name does not resolve.
  const reason = errno === undefined ? 'this machine has no such address' : systemReason(error);
  return new OperatorError(
    `Cannot listen on ${host}, port ${port}: ${reason}.`,
    `Choose others with --${flagPrefix}host and --${flagPrefix}port.`,
  );
}
