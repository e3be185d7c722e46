import type { Log, LogLevel } from '../system/log.ts';

/** The checked settings of the service. */
export interface ServeOptions {
  host: string;
  port: number;
  databaseUrl: string;
  apiKeys: string[];
  logLevel: LogLevel;
  accessLog: boolean;
  allowedOrigins: string[];
  /** Addresses and networks of proxies that name the client in `X-Forwarded-For`. */
  trustedProxies: string[];
  tlsCert: string | undefined;
  tlsKey: string | undefined;
  rateLimit: number;
  stopDelaySeconds: number;
  /** True to serve only the stable operations. */
  stableOnly: boolean;
  metricsHost: string;
  /** Without it, no metrics are collected. */
  metricsPort: number | undefined;
  publicUrl: string | undefined;
  stagingUrl: string | undefined;
}

/** What every start warns of, and `petstore check` too. The engines warn of what they find in their store. */

/** Random letters and digits of this length have 95 bits of entropy. */
const shortestSafeKey = 16;

export function warnOfSettings({ tlsCert, host, apiKeys }: ServeOptions, log: Log): void {
  if (tlsCert === undefined && !isLoopback(host))
    log.warn('Keys and pets travel unencrypted. Put a TLS proxy in front, or use --tls-cert and --tls-key.', {
      host,
    });
  if (apiKeys.some((key) => key.length < shortestSafeKey))
    log.warn(
      'A key in API_KEYS is so short that it can be guessed. Use a key of the store instead: petstore keys create --name ' +
        'NAME',
    );
}

export function warnOfNoKey(log: Log): void {
  log.warn(
    'No API key can be used, so every request is refused. Create one: petstore keys create --name NAME',
  );
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}
