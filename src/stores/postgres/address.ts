import { readFileSync } from 'node:fs';
import { usageError } from '../../domain/error.ts';
import { systemReason } from '../../system/files.ts';

/** The parts of a `postgres://` address. */
export interface PostgresAddress {
  /** A name, an IP address, or the folder of a Unix socket. */
  host: string;
  port: number;
  user: string;
  /** Undefined if the password file has to be read. */
  password: string | undefined;
  database: string;
  sslMode: SslMode;
  /** PEM certificates and key. */
  sslFiles: { ca: string | undefined; cert: string | undefined; key: string | undefined };
  /** True behind a pgbouncer in transaction mode, where each transaction may get another session. */
  isPgbouncer: boolean;
  /** This process's sessions for reading and writing pets; searches have one of their own. */
  connectionLimit: number;
  connectTimeoutMs: number;
  applicationName: string;
  /** Command-line options for the server's session, such as `-c search_path=shop`. */
  options: string | undefined;
}

const sslModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
type SslMode = (typeof sslModes)[number];

/** The environment's variables, of which PGPASSWORD is read here. */
export type Environment = Record<string, string | undefined>;

const parameterNames = [
  ...['host', 'port', 'user', 'password', 'dbname', 'options', 'application_name', 'connect_timeout'],
  ...['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'pgbouncer', 'connection_limit'],
  // Accepted, but a standby is never used, and one host leaves nothing else to choose.
  'target_session_attrs',
];

/** Two write, the others read. */
const connections = { fewest: 3, most: 100, default: 5 };

/**
 * Reads the address forms of libpq, Unix sockets included. Errors never repeat a part of the address: any part may be a
 * password whose special characters were not encoded.
 */
export function parseAddress(address: string, environment: Environment): PostgresAddress {
  // URL accepts a user only with a host, which a parameter may name instead.
  const url = URL.parse(address.replace(/^(\w+:\/\/[^/?#]*@)(?=[/?]|$)/, '$1localhost'));
  if (!url || !/^postgres(?:ql)?:\/\//.test(address) || url.hash) refuseForm();
  const parameters = url.searchParams;
  if (parameters.keys().some((name) => !parameterNames.includes(name)))
    refuse('has an unknown parameter.', `Known are ${parameterNames.join(', ')}.`);
  const valueOf = (name: string, part = '') => parameters.get(name) || decode(part) || undefined;
  const pemOf = (name: string) => readPem(name, valueOf(name));
  const host = valueOf('host', url.hostname.replace(/^\[(.*)\]$/, '$1')) ?? 'localhost';
  const path = url.pathname.slice(1);
  if (host.includes(',') || /[/@]/.test(path)) refuseForm();
  const role =
    valueOf('user', url.username) ?? refuse('names no user.', 'Write postgres://user@host/database.');
  return {
    host,
    port: integer('port', valueOf('port', url.port), { fewest: 1, most: 65_535, default: 5432 }),
    user: role,
    password: valueOf('password', url.password) ?? (environment['PGPASSWORD'] || undefined),
    database: valueOf('dbname', path) ?? role,
    sslMode: oneOf('sslmode', valueOf('sslmode') ?? 'prefer', sslModes),
    sslFiles: { ca: pemOf('sslrootcert'), cert: pemOf('sslcert'), key: pemOf('sslkey') },
    isPgbouncer: oneOf('pgbouncer', valueOf('pgbouncer') ?? 'false', ['true', 'false']) === 'true',
    connectionLimit: integer('connection_limit', valueOf('connection_limit'), connections),
    connectTimeoutMs:
      1000 * integer('connect_timeout', valueOf('connect_timeout'), { fewest: 1, most: 60, default: 2 }),
    applicationName: valueOf('application_name') ?? 'petstore',
    options: valueOf('options'),
  };
}

function readPem(name: string, path: string | undefined): string | undefined {
  // `system` is libpq's word for the authorities that the system trusts, which are the default here.
  if (path === undefined || path === 'system') return undefined;
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    refuse(`names a ${name} that cannot be read: ${systemReason(error)}.`);
  }
}

function integer(name: string, text: string | undefined, bounds: typeof connections): number {
  if (text === undefined) return bounds.default;
  const value = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (value >= bounds.fewest && value <= bounds.most) return value;
  refuse(`needs a ${name} from ${bounds.fewest} to ${bounds.most}.`);
}

function oneOf<Value extends string>(name: string, text: string, values: readonly Value[]): Value {
  return (
    values.find((value) => value === text) ??
    refuse(`has a ${name} that is not known.`, `Use one of ${values.join(', ')}.`)
  );
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return refuseForm();
  }
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
