import { addressOf } from '../server/listener.ts';
import type { ServeOptions } from '../server/options.ts';

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
