import type { Log, LogFields, LogLevel } from '../system/log.ts';

/** The settings of the service, checked. */
export interface ServeOptions {
  host: string;
  port: number;
  databaseUrl: string;
  apiKeys: string[];
  logLevel: LogLevel;
  accessLog: boolean;
  trustedProxies: string[];
  allowedOrigins: string[];
  tlsCert: string | undefined;
  tlsKey: string | undefined;
  workers: number;
  rateLimit: number;
  stopDelaySeconds: number;
  /** True to serve the stable operations alone. */
  stableOnly: boolean;
  metricsHost: string;
  /** No metrics are kept without it. */
  metricsPort: number | undefined;
  publicUrl: string | undefined;
  stagingUrl: string | undefined;
}

/** Records a change that the service itself makes to its store. */
export type Audit = (action: string, fields: LogFields) => void;

/** What the service gets from the process that it runs in. */
export interface ServeContext {
  log: Log;
  /** Shows a few lines to the person who started the service; they never reach the log. Fails if they cannot be shown. */
  tell: (text: string) => Promise<void>;
  /** Passed on to the store; the service itself does not read it. */
  environment: Record<string, string | undefined>;
  /** Absent in workers: their parent prepares the store. */
  audit?: Audit;
}
