import { createSecureContext } from 'node:tls';
import { OperatorError } from '../error.ts';
import { readFileOf } from '../cli/arguments.ts';
import type { Config } from '../cli/config.ts';

export interface Tls {
  cert: string;
  key: string;
}

export interface ListenOptions {
  config: Config;
  tls: Tls | undefined;
  fetch: (request: Request) => Response | Promise<Response>;
  /** Shares the port with the other workers of the same parent. */
  reusePort: boolean;
}

/** A connection on which nothing moves for this long is closed. */
const idleTimeoutSeconds = 10;

export function listen({ config, tls, fetch, reusePort }: ListenOptions): Bun.Server<undefined> {
  try {
    return Bun.serve({
      hostname: config.host,
      port: config.port,
      reusePort,
      fetch,
      idleTimeout: idleTimeoutSeconds,
      // The interface checks the size itself, after the key and with its own error body.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      development: false,
      ...(tls && { tls }),
    });
  } catch (error) {
    throw cannotListen(error, config);
  }
}

export function loadTls({ tlsCert, tlsKey }: Config): Tls | undefined {
  if (tlsCert === undefined || tlsKey === undefined) return undefined;
  const tls = { cert: readFileOf('--tls-cert', tlsCert), key: readFileOf('--tls-key', tlsKey) };
  try {
    createSecureContext(tls);
  } catch {
    throw new OperatorError(
      `${tlsCert} and ${tlsKey} are not a certificate and its private key in PEM form. Check both files.`,
    );
  }
  return tls;
}

export function addressOf({ host, tlsCert }: Config, port: number): string {
  return `${tlsCert === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** Finds out, before any worker starts, whether the port is free; a shared port would hide that it is not. */
export function reservePort(config: Config): number {
  try {
    const probe = Bun.listen({ hostname: config.host, port: config.port, socket: { data() {} } });
    const { port } = probe;
    probe.stop(true);
    return port;
  } catch (error) {
    throw cannotListen(error, config);
  }
}

function cannotListen(error: unknown, { host, port }: Config): OperatorError {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') {
    return new OperatorError(
      `Port ${port} on ${host} is taken. Stop the program that uses it, or choose another port with --port.`,
    );
  }
  return new OperatorError(
    `Cannot listen on ${host}, port ${port} (${code ?? message}). Choose others with --host and --port.`,
  );
}
