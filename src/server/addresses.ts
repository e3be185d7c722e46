import { hostname, networkInterfaces } from 'node:os';
import { OperatorError } from '../domain/error.ts';
import { systemReason } from '../system/files.ts';
import type { ServeOptions } from './options.ts';

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

/** The address for programs on this machine: loopback if the service listens on every address. */
export function localAddressOf(options: Pick<ServeOptions, 'host' | 'tlsCert'>, port: number): string {
  const { host } = options;
  return addressOf(
    { ...options, host: host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host },
    port,
  );
}

/** Sends a local GET request; undefined if there is no response in time. */
export async function askLocally(address: string, timeoutMs: number): Promise<Response | undefined> {
  try {
    return await fetch(address, {
      signal: AbortSignal.timeout(timeoutMs),
      redirect: 'manual',
      // The certificate names a public host, not this address, and the request contains no secret.
      tls: { rejectUnauthorized: false },
    });
  } catch {
    return undefined;
  }
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** Checks that a port is free before any worker starts: workers share it and would not notice. */
export function reservePort(address: Pick<ServeOptions, 'host' | 'port'>, flagPrefix = ''): number {
  try {
    const probe = Bun.listen({ hostname: address.host, port: address.port, socket: { data() {} } });
    const { port } = probe;
    probe.stop(true);
    return port;
  } catch (error) {
    throw cannotListen(error, address, flagPrefix);
  }
}

/** The flags are `--host` and `--port` with a prefix. */
export function cannotListen(
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
