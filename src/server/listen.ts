import { OperatorError } from '../domain/error.ts';
import type { ServeOptions } from './options.ts';
import type { Tls } from './tls.ts';

export type Fetch = (request: Request) => Response | Promise<Response>;

export interface ListenOptions {
  options: Pick<ServeOptions, 'host' | 'port'>;
  tls: Tls | undefined;
  fetch: Fetch;
  /** Whether other workers of the same parent share the port. */
  isShared: boolean;
}

/** A connection that is idle for this long is closed. */
export const idleTimeoutSeconds = 10;

export function listen({ options, tls, fetch, isShared }: ListenOptions): Bun.Server<undefined> {
  try {
    return Bun.serve({
      hostname: options.host,
      port: options.port,
      // A new certificate needs a second server on the port.
      reusePort: isShared || tls !== undefined,
      fetch,
      idleTimeout: idleTimeoutSeconds,
      // The API checks the size itself, after the key and with its own error body.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      development: false,
      ...(tls && { tls }),
    });
  } catch (error) {
    throw cannotListen(error, options);
  }
}

export function addressOf({ host, tlsCert }: Pick<ServeOptions, 'host' | 'tlsCert'>, port: number): string {
  return `${tlsCert === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** The address for programs on this machine. A service that listens on every address is called by loopback. */
export function localAddressOf(options: Pick<ServeOptions, 'host' | 'tlsCert'>, port: number): string {
  const { host } = options;
  return addressOf(
    { ...options, host: host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host },
    port,
  );
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** Checks that the port is free before any worker starts: workers share it and would not notice. */
export function reservePort(options: Pick<ServeOptions, 'host' | 'port'>, explain = cannotListen): number {
  try {
    const probe = Bun.listen({ hostname: options.host, port: options.port, socket: { data() {} } });
    const { port } = probe;
    probe.stop(true);
    return port;
  } catch (error) {
    throw explain(error, options);
  }
}

function cannotListen(error: unknown, { host, port }: Pick<ServeOptions, 'host' | 'port'>): OperatorError {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') {
    return new OperatorError(
      `Port ${port} on ${host} is taken.`,
      'Stop the program that uses it, or choose another port with --port.',
    );
  }
  return new OperatorError(
    `Cannot listen on ${host}, port ${port} (${code ?? message}).`,
    'Choose others with --host and --port.',
  );
}
