import type { Log, LogLevel } from '../log.ts';

/** What the service can be told, checked. */
export interface ServeOptions {
  host: string;
  port: number;
  databaseUrl: string;
  apiKeys: string[];
  logLevel: LogLevel;
  accessLog: boolean;
  allowedOrigins: string[];
  tlsCert: string | undefined;
  tlsKey: string | undefined;
  workers: number;
  rateLimit: number;
  stopDelaySeconds: number;
}

/** How the service speaks to whoever started it. */
export interface Voice {
  log: Log;
  /** Shows a few lines to a person; never written to the log. */
  tell: (text: string) => void;
}
