import { readFileSync } from 'node:fs';
import { usageError } from '../domain/error.ts';

export interface Host {
  /** A name, an IP address, or the folder of a Unix socket. */
  host: string;
  port: number;
}

/** Where the database is and how to reach it: a `postgres://` address taken apart. */
export interface PostgresAddress {
  hosts: Host[];
  user: string;
  /** Undefined when it is to be looked up in the password file. */
  password: string | undefined;
  database: string;
  sslMode: SslMode;
  /** Certificates in PEM form. */
  sslFiles: { ca: string | undefined; cert: string | undefined; key: string | undefined };
  /** True when a server that cannot be written to is to be passed over. */
  mustBeWritable: boolean;
  /** False behind a pgbouncer in transaction mode, which gives each statement another session. */
  ownsSession: boolean;
  /** Connections of this process, all kinds together. */
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

/** One creates, one does the other writes, the others read. */
const connections = { fewest: 3, most: 100, default: 5 };

/**
 * Reads the address forms of libpq, several hosts and Unix sockets included; what the address does not say
 * comes from libpq's variables. No part of the address is repeated in an error: any of it may be a password
 * whose special characters were not encoded.
 */
export function parseAddress(address: string, environment: Environment): PostgresAddress {
  const [, credentials = '', hostList = '', path = '', query = ''] =
    /^postgres(?:ql)?:\/\/(?:([^/?#]*)@)?([^/?#@]*)(?:\/([^?#/]*))?(?:\?([^#]*))?$/.exec(address) ??
    refuseForm();
  const given = parseQuery(query);
  const [, givenUser, password] = /^([^:]*)(?::(.*))?$/.exec(credentials) ?? [];
  const sslMode = given.get('sslmode') ?? environment['PGSSLMODE'] ?? 'prefer';
  const sessionAttributes = given.get('target_session_attrs') ?? environment['PGTARGETSESSIONATTRS'] ?? 'any';
  const user = given.get('user') || decode(givenUser) || userOf(environment);
  return {
    hosts: parseHosts(given.get('host') ?? hostList, given.get('port'), environment),
    user,
    password: given.get('password') || decode(password) || environment['PGPASSWORD'] || undefined,
    database: given.get('dbname') || decode(path) || environment['PGDATABASE'] || user,
    sslMode: oneOf('sslmode', sslMode, sslModes),
    sslFiles: {
      ca: pemFile('sslrootcert', given.get('sslrootcert') ?? environment['PGSSLROOTCERT']),
      cert: pemFile('sslcert', given.get('sslcert') ?? environment['PGSSLCERT']),
      key: pemFile('sslkey', given.get('sslkey') ?? environment['PGSSLKEY']),
    },
    mustBeWritable:
      oneOf('target_session_attrs', sessionAttributes, ['any', 'read-write', 'primary']) !== 'any',
    ownsSession: oneOf('pgbouncer', given.get('pgbouncer') ?? 'false', ['true', 'false']) === 'false',
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
    if (name === 'dialect') refuse('has the parameter dialect, which is no longer needed.', 'Remove it.');
    if (!parameters.includes(name)) {
      refuse('has an unknown parameter.', `Known are ${parameters.join(', ')}.`);
    }
    if (value !== '') given.set(name, value);
  }
  return given;
}

function parseHosts(hostList: string, portList: string | undefined, environment: Environment): Host[] {
  const ports = portList?.split(',') ?? [];
  return hostList.split(',').map((item, index) => {
    // A Unix socket folder may hold a colon; a host name may not.
    const text = decode(item) ?? '';
    const [, bracketed, plain, ownPort] = text.startsWith('/')
      ? [text, undefined, text]
      : (/^(?:\[([^\]]+)\]|([^:[\]]*))(?::(\d{1,5}))?$/.exec(text) ?? refuseForm());
    const port = ownPort ?? ports[index] ?? (ports.length === 1 ? ports[0] : undefined);
    const ownOrDefault = port ?? (environment['PGPORT'] || undefined);
    return {
      host: bracketed || plain || environment['PGHOST'] || 'localhost',
      port: integer('port', ownOrDefault, { fewest: 1, most: 65_535, default: 5432 }),
    };
  });
}

/** By default whoever runs the process. A service may run without any of these variables. */
function userOf({ PGUSER, USER, USERNAME }: Environment): string {
  return PGUSER || USER || USERNAME || refuse('names no user.', 'Write postgres://user@host/database.');
}

function pemFile(name: string, path: string | undefined): string | undefined {
  // libpq's word for the authorities that the system trusts, which are the default here.
  if (path === undefined || path === '' || path === 'system') return undefined;
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    refuse(`names a ${name} that cannot be read (${(error as NodeJS.ErrnoException).code}).`);
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
