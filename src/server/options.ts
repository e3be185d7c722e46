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

/** What the service gets from its process. */
export interface ServeContext {
  log: Log;
  /** Shows the store's first key to the person who started the service, and never logs it. Fails if that is impossible. */
  showFirstKey: (key: string, address: string) => Promise<void>;
}
