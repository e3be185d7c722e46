import type { ConnectionOptions } from 'node:tls';
import type { ClientConfig } from 'pg';
import findInPassFile from 'pgpass';
import type { Host, PostgresAddress } from '../address.ts';

/**
 * A request waits in the queue, for a connection and for its statement. The sum stays below the ten seconds after which
 * the service closes a silent connection. The server's timeouts come first: what the server cancelled is known to be undone.
 */
export interface Timeouts {
  lockMs: number;
  statementMs: number;
}

const defaultTimeouts: Timeouts = { lockMs: 2000, statementMs: 3000 };
/** How much longer than the server's own timeout its response is waited for. */
const graceMs = 1000;
const keepAliveAfterMs = 5000;

export interface DriverOptions {
  address: PostgresAddress;
  /** Several statements may be under way at once. */
  pipeline?: boolean;
  timeouts?: Timeouts;
}

export function driverConfig(
  { host, port }: Host,
  { address, pipeline = false, timeouts = defaultTimeouts }: DriverOptions,
): ClientConfig & { pipeline: boolean } {
  const { user, database, password } = address;
  return {
    // All are given: the driver takes what is missing from the environment.
    host,
    port,
    user,
    database,
    password: password ?? passwordFromFile,
    ...(address.options !== undefined && { options: address.options }),
    application_name: address.applicationName,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveAfterMs,
    query_timeout: timeouts.statementMs + graceMs,
    pipeline,
    // pgbouncer refuses to start a session with settings that it does not know.
    ...(address.ownsSession && { statement_timeout: timeouts.statementMs, lock_timeout: timeouts.lockMs }),
  };
}

/** libpq's meaning of the modes: only `verify-…`, or a given authority, proves who the server is. */
export function sslConfig({ sslMode, sslFiles }: PostgresAddress): ConnectionOptions {
  const verifies = sslMode.startsWith('verify-') || (sslMode === 'require' && sslFiles.ca !== undefined);
  return {
    ...sslFiles,
    rejectUnauthorized: verifies,
    ...(sslMode !== 'verify-full' && { checkServerIdentity: () => undefined }),
  };
}

function passwordFromFile(info?: unknown): Promise<string> {
  return new Promise((resolve) => {
    findInPassFile(info, (password) => resolve(password ?? ''));
  });
}
