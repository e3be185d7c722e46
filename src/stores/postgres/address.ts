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

/** PGPASSWORD and the others that libpq reads. */
export type LibpqVariables = Record<string, string | undefined>;

/** The parameters of an address, with libpq's variable for those that have one here. */
const variables = {
  host: 'PGHOST',
  port: 'PGPORT',
  user: 'PGUSER',
  password: 'PGPASSWORD',
  dbname: 'PGDATABASE',
  options: 'PGOPTIONS',
  sslmode: 'PGSSLMODE',
  sslrootcert: 'PGSSLROOTCERT',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
  ...{
    application_name: '',
    connect_timeout: '',
    target_session_attrs: '',
    pgbouncer: '',
    connection_limit: '',
  },
};
type Parameter = keyof typeof variables;

/** Two write, the others read. */
const connections = { fewest: 3, most: 100, default: 5 };

/**
 * Reads the address forms of libpq, Unix sockets included; libpq's variables supply what is missing. Errors never
 * repeat a part of the address: any part may be a password whose special characters were not encoded.
 */
export function parseAddress(address: string, environment: LibpqVariables): PostgresAddress {
  const [, credentials = '', hostAndPort = '', path = '', query = ''] =
    /^postgres(?:ql)?:\/\/(?:([^/?#]*)@)?([^/?#@]*)(?:\/([^?#/]*))?(?:\?([^#]*))?$/.exec(address) ??
    refuseForm();
  const [, user = '', password = ''] = /^([^:]*)(?::(.*))?$/.exec(credentials) ?? [];
  const parameters = parseQuery(query);
  const given: Record<string, string | undefined> = {
    ...{ user: decode(user), password: decode(password), dbname: decode(path) },
    ...parameters,
    ...splitHost(parameters['host'] ?? decode(hostAndPort)),
  };
  const valueOf = (name: Parameter) => given[name] || environment[variables[name]] || undefined;
  const pemOf = (name: Parameter) => readPem(name, valueOf(name));
  if ([valueOf('host'), valueOf('port')].some((text) => text?.includes(',')))
    refuse(
      'names several hosts.',
      'Name one that leads to the primary: HAProxy in front of Patroni, a managed endpoint or a Kubernetes service.',
    );
  // A standby is never used, and one host leaves nothing else to choose.
  oneOf('target_session_attrs', valueOf('target_session_attrs') ?? 'any', ['any', 'read-write', 'primary']);
  // A service may run without any of these variables.
  const role = valueOf('user') || environment['USER'] || environment['USERNAME'];
  if (!role) refuse('names no user.', 'Write postgres://user@host/database.');
  return {
    host: valueOf('host') ?? 'localhost',
    port: integer('port', valueOf('port'), { fewest: 1, most: 65_535, default: 5432 }),
    user: role,
    password: valueOf('password'),
    database: valueOf('dbname') ?? role,
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

/** A Unix socket is named by its folder, which may contain a colon. */
function splitHost(text: string): { host: string; port?: string } {
  if (text.startsWith('/') || text.includes(',')) return { host: text };
  const [, bracketed, plain, port] =
    /^(?:\[([^\]]+)\]|([^:[\]]*))(?::(\d{1,5}))?$/.exec(text) ?? refuseForm();
  return { host: bracketed ?? plain ?? '', ...(port !== undefined && { port }) };
}

function parseQuery(query: string): Record<string, string> {
  const given = [...new URLSearchParams(query)];
  if (given.every(([name]) => Object.hasOwn(variables, name)))
    return Object.fromEntries(given.filter(([, value]) => value !== ''));
  refuse('has an unknown parameter.', `Known are ${Object.keys(variables).join(', ')}.`);
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
    'Percent-encode special characters in its parts, such as %40 for @.',
  );
}

function refuse(problem: string, remedy?: string): never {
  throw usageError(`The postgres: address ${problem}`, remedy);
}
