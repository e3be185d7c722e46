import { readFileSync } from 'node:fs';
import { usageError } from '../domain/error.ts';
import { systemReason } from '../system/files.ts';

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

export type Environment = Record<string, string | undefined>;

const parameters = [
  'host',
  'port',
  'user',
  'password',
  'dbname',
  'application_name',
  'options',
  'connect_timeout',
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'target_session_attrs',
  'pgbouncer',
  'connection_limit',
];

/** Two write, the others read. */
const connections = { fewest: 3, most: 100, default: 5 };

/**
 * Reads the address forms of libpq, Unix sockets included; libpq's variables supply what is missing. Errors never
 * repeat a part of the address: any part may be a password whose special characters were not encoded.
 */
export function parseAddress(address: string, environment: Environment): PostgresAddress {
  const [, credentials = '', hostAndPort = '', path = '', query = ''] =
    /^postgres(?:ql)?:\/\/(?:([^/?#]*)@)?([^/?#@]*)(?:\/([^?#/]*))?(?:\?([^#]*))?$/.exec(address) ??
    refuseForm();
  const given = parseQuery(query);
  const [, givenUser, password] = /^([^:]*)(?::(.*))?$/.exec(credentials) ?? [];
  const sslMode = given.get('sslmode') ?? environment['PGSSLMODE'] ?? 'prefer';
  // A standby is never used, and one host leaves nothing else to choose.
  oneOf('target_session_attrs', given.get('target_session_attrs') ?? 'any', ['any', 'read-write', 'primary']);
  const user = given.get('user') || decode(givenUser) || userOf(environment);
  return {
    ...parseHost(given.get('host') ?? hostAndPort, given.get('port'), environment),
    user,
    password: given.get('password') || decode(password) || environment['PGPASSWORD'] || undefined,
    database: given.get('dbname') || decode(path) || environment['PGDATABASE'] || user,
    sslMode: oneOf('sslmode', sslMode, sslModes),
    sslFiles: {
      ca: pemFile('sslrootcert', given.get('sslrootcert') ?? environment['PGSSLROOTCERT']),
      cert: pemFile('sslcert', given.get('sslcert') ?? environment['PGSSLCERT']),
      key: pemFile('sslkey', given.get('sslkey') ?? environment['PGSSLKEY']),
    },
    isPgbouncer: oneOf('pgbouncer', given.get('pgbouncer') ?? 'false', ['true', 'false']) === 'true',
    connectionLimit: integer('connection_limit', given.get('connection_limit'), connections),
    connectTimeoutMs:
      1000 * integer('connect_timeout', given.get('connect_timeout'), { fewest: 1, most: 60, default: 2 }),
    applicationName: given.get('application_name') ?? 'petstore',
    options: given.get('options') || environment['PGOPTIONS'] || undefined,
  };
}

function parseQuery(query: string): Map<string, string> {
  const given = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    if (!parameters.includes(name)) {
      refuse('has an unknown parameter.', `Known are ${parameters.join(', ')}.`);
    }
    if (value !== '') given.set(name, value);
  }
  return given;
}

function parseHost(
  hostAndPort: string,
  givenPort: string | undefined,
  environment: Environment,
): Pick<PostgresAddress, 'host' | 'port'> {
  const text = decode(hostAndPort) ?? '';
  if ([text, givenPort, environment['PGHOST']].some((part) => part?.includes(',')))
    refuse(
      'names several hosts.',
      'Name one that leads to the primary: HAProxy in front of Patroni, a managed endpoint or a Kubernetes service.',
    );
  // A Unix socket folder may contain a colon; a host name may not.
  const [, bracketed, plain, ownPort] = text.startsWith('/')
    ? [text, undefined, text]
    : (/^(?:\[([^\]]+)\]|([^:[\]]*))(?::(\d{1,5}))?$/.exec(text) ?? refuseForm());
  const port = ownPort ?? givenPort ?? (environment['PGPORT'] || undefined);
  return {
    host: bracketed || plain || environment['PGHOST'] || 'localhost',
    port: integer('port', port, { fewest: 1, most: 65_535, default: 5432 }),
  };
}

/** The user who runs the process by default. A service may run without any of these variables. */
function userOf({ PGUSER, USER, USERNAME }: Environment): string {
  return PGUSER || USER || USERNAME || refuse('names no user.', 'Write postgres://user@host/database.');
}

function pemFile(name: string, path: string | undefined): string | undefined {
  // `system` is libpq's word for the authorities that the system trusts, which are the default here.
  if (path === undefined || path === '' || path === 'system') return undefined;
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

function decode(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text);
  } catch {
    return refuseForm();
  }
}

function refuseForm(): never {
  refuse(
    'is not of the form postgres://user:password@host:port/database.',
    'Percent-encode special characters in its parts, such as %40 for @.',
  );
}

function refuse(problem: string, remedy?: string): never {
  throw usageError(`The postgres: address ${problem}`, remedy);
}
