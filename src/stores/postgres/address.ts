import type { ConnectionOptions } from 'node:tls';
import type { ClientConfig } from 'pg';
import { parse } from 'pg-connection-string';
import { usageError } from '../../domain/error.ts';
import { systemReason } from '../../system/files.ts';

/** The parts of a `postgres://` address, as the driver names them. */
export interface PostgresAddress extends ClientConfig {
  /** A name, an IP address, or the folder of a Unix socket. */
  host: string;
  port: number;
  /** How many sessions this process has for reading and writing. Searches have one more. */
  connectionLimit: number;
}

/** A mistyped `sslmode` must not mean plain text, so other names are refused. */
const parameterNames = [
  ...['host', 'port', 'user', 'password', 'dbname', 'options', 'application_name', 'connect_timeout'],
  ...['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'connection_limit'],
  // Accepted and ignored: there is one host, and it must be the primary.
  'target_session_attrs',
];
const sslModes = ['disable', 'require', 'verify-ca', 'verify-full'];

/** Two write, the others read. */
const connections = { fewest: 3, most: 100, default: 5 };

/**
 * Reads a `postgres://` address as libpq does. Errors never repeat a part of the address: any part may be a password
 * whose special characters were not encoded.
 */
export function parseAddress(address: string): PostgresAddress {
  const [, query] = /^postgres(?:ql)?:\/\/[^?#]*(?:\?([^#]*))?$/.exec(address) ?? refuseForm();
  const parameters = new URLSearchParams(query);
  if (parameters.keys().some((name) => !parameterNames.includes(name)))
    refuse('has an unknown parameter.', `Known are ${parameterNames.join(', ')}.`);
  const sslMode = parameters.get('sslmode');
  refuseUnclearTls(sslMode, parameters.get('sslrootcert'));

  const parts = parseParts(address);
  const host = parts.host || 'localhost';
  const database = parameters.get('dbname') || parts.database;
  if (host.includes(',') || /[/@]/.test(database ?? '')) refuseForm();
  const user = parts.user || refuse('names no user.', 'Write postgres://user@host/database.');
  if (sslMode === null && !/^(?:\/|localhost$|127\.|::1$)/.test(host))
    refuse(
      'leads to another machine and has no sslmode.',
      'Add ?sslmode=verify-full, or ?sslmode=disable to send everything in plain text.',
    );
  return {
    host,
    port: integer('port', parts.port, { fewest: 1, most: 65_535, default: 5432 }),
    user,
    password: parts.password,
    database: database || user,
    ssl: typeof parts.ssl === 'object' ? (parts.ssl as ConnectionOptions) : false,
    options: parts.options,
    application_name: parts.application_name || 'petstore',
    connectionTimeoutMillis:
      1000 *
      integer('connect_timeout', parameters.get('connect_timeout'), { fewest: 1, most: 60, default: 3 }),
    connectionLimit: integer('connection_limit', parameters.get('connection_limit'), connections),
  };
}

function refuseUnclearTls(mode: string | null, authority: string | null): void {
  if (mode !== null && !sslModes.includes(mode))
    refuse('has an unknown sslmode.', `Use one of ${sslModes.join(', ')}.`);
  if (mode === 'verify-ca' && !authority)
    refuse('needs a sslrootcert for verify-ca.', 'To trust public authorities, use sslmode=verify-full.');
  if (authority === 'system')
    refuse('has sslrootcert=system.', 'Leave it out: public authorities are trusted without it.');
}

function parseParts(address: string): ReturnType<typeof parse> {
  try {
    return parse(address, { useLibpqCompat: true });
  } catch (error) {
    if (error instanceof Error && 'syscall' in error)
      refuse(`names a file for TLS that cannot be read: ${systemReason(error)}.`);
    refuseForm();
  }
}

function integer(name: string, text: string | null | undefined, bounds: typeof connections): number {
  if (!text) return bounds.default;
  const value = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (value >= bounds.fewest && value <= bounds.most) return value;
  refuse(`needs a ${name} from ${bounds.fewest} to ${bounds.most}.`);
}

function refuseForm(): never {
  refuse(
    'is not of the form postgres://user:password@host:port/database.',
    'Name one host, and percent-encode special characters in the parts, such as %40 for @.',
  );
}

function refuse(problem: string, remedy?: string): never {
  throw usageError(`The postgres: address ${problem}`, remedy);
}
