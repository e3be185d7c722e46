import { usageError } from '../error.ts';
import { logLevels } from '../log.ts';
import type { ServeOptions } from '../server/options.ts';
import { choiceOf, integerOf, readArguments } from './arguments.ts';

export interface Setting {
  flag: string;
  variable: string;
  /** What the value is, for the help; a setting without one is a switch. */
  value?: string;
  fallback: string;
  help: string;
}

/** One row per setting: the flags, the environment, the help and `.env.example` all come from here. */
export const settings = {
  host: {
    flag: 'host',
    variable: 'HOST',
    value: 'ADDRESS',
    fallback: '127.0.0.1',
    help: 'Address to listen on.',
  },
  port: {
    flag: 'port',
    variable: 'PORT',
    value: 'NUMBER',
    fallback: '8080',
    help: 'Port to listen on; 0 takes a free one.',
  },
  databaseUrl: {
    flag: 'database-url',
    variable: 'DATABASE_URL',
    value: 'PLACE',
    fallback: 'data/petstore.db',
    help: 'Where the pets are kept: a file path, a sqlite: or a postgres: address.',
  },
  apiKeys: {
    flag: 'api-keys',
    variable: 'API_KEYS',
    value: 'KEY,KEY',
    fallback: '',
    help: 'Fixed API keys beside those in the store. Other users of the machine can read a flag; prefer the variable.',
  },
  logLevel: {
    flag: 'log-level',
    variable: 'LOG_LEVEL',
    value: 'LEVEL',
    fallback: 'info',
    help: `Least serious line to log: ${logLevels.join(', ')}.`,
  },
  accessLog: {
    flag: 'access-log',
    variable: 'ACCESS_LOG',
    fallback: 'false',
    help: 'Log every request, not only slow and failed ones.',
  },
  allowedOrigins: {
    flag: 'allowed-origins',
    variable: 'ALLOWED_ORIGINS',
    value: 'ORIGIN,ORIGIN',
    fallback: '',
    help: 'Origins whose web pages may call, such as https://shop.example.',
  },
  tlsCert: {
    flag: 'tls-cert',
    variable: 'TLS_CERT',
    value: 'FILE',
    fallback: '',
    help: 'Certificate (PEM); with --tls-key it makes the service speak HTTPS.',
  },
  tlsKey: {
    flag: 'tls-key',
    variable: 'TLS_KEY',
    value: 'FILE',
    fallback: '',
    help: 'Private key (PEM) of the certificate.',
  },
  workers: {
    flag: 'workers',
    variable: 'WORKERS',
    value: 'NUMBER',
    fallback: '1',
    help: 'Processes that serve on the port; more than one per core bring nothing.',
  },
  rateLimit: {
    flag: 'rate-limit',
    variable: 'RATE_LIMIT',
    value: 'NUMBER',
    fallback: '0',
    help: 'Requests that one key may make in a minute, in each process; 0 sets no limit.',
  },
  stopDelaySeconds: {
    flag: 'stop-delay',
    variable: 'STOP_DELAY',
    value: 'SECONDS',
    fallback: '',
    help: 'How long to serve on, but not ready, when told to stop. Default: 0 on a terminal, otherwise 5.',
  },
} as const satisfies Record<keyof ServeOptions, Setting>;

type Environment = Record<string, string | undefined>;

/** Reads the named settings: a flag wins over the environment, the environment over the default. */
export function readConfig(args: string[], environment: Environment): ServeOptions {
  const options = { options: flagOptions(), allowPositionals: false };
  const flags: Record<string, string | boolean | undefined> = readArguments('serve', args, options).values;
  const { 'database-url': place } = flags;
  const text = (name: keyof ServeOptions): string => {
    const { flag, variable, fallback } = settings[name];
    const given = flags[flag] ?? environment[variable];
    return given === undefined || given === '' ? fallback : String(given);
  };
  const config: ServeOptions = {
    host: text('host'),
    port: integerOf(nameOf('port'), text('port'), 0, 65_535),
    databaseUrl: databaseUrlOf(typeof place === 'string' ? place : undefined, environment),
    apiKeys: list(text('apiKeys')),
    logLevel: choiceOf(nameOf('logLevel'), text('logLevel'), logLevels),
    accessLog: choiceOf(nameOf('accessLog'), text('accessLog'), ['true', 'false']) === 'true',
    allowedOrigins: list(text('allowedOrigins')).map(origin),
    tlsCert: text('tlsCert') || undefined,
    tlsKey: text('tlsKey') || undefined,
    workers: integerOf(nameOf('workers'), text('workers'), 1, 256),
    rateLimit: integerOf(nameOf('rateLimit'), text('rateLimit'), 0, 999_999),
    stopDelaySeconds: integerOf(nameOf('stopDelaySeconds'), text('stopDelaySeconds') || stopDelay(), 0, 300),
  };
  if (config.apiKeys.some((key) => !/^[!-~]+$/.test(key))) {
    throw usageError('API_KEYS must be visible ASCII characters without spaces, separated by commas.');
  }
  if ((config.tlsCert === undefined) !== (config.tlsKey === undefined)) {
    throw usageError('--tls-cert and --tls-key go together; give both or neither.');
  }
  return config;
}

/** A load balancer needs time to notice that a service is not ready; a person at a terminal has none to wait. */
function stopDelay(): string {
  return process.stdout.isTTY ? '0' : '5';
}

/** Where the store is. An empty flag or variable is none. */
export function databaseUrlOf(flag: string | undefined, environment: Environment): string {
  return flag || environment[settings.databaseUrl.variable] || settings.databaseUrl.fallback;
}

/** The flag of each setting, as `parseArgs` wants to know it. */
export function flagOptions(): Record<string, { type: 'string' | 'boolean' }> {
  return Object.fromEntries(
    Object.values(settings).map((setting) => [
      setting.flag,
      { type: 'value' in setting ? 'string' : 'boolean' } as const,
    ]),
  );
}

/** Names a setting in both its spellings. */
function nameOf(name: keyof ServeOptions): string {
  return `--${settings[name].flag} (${settings[name].variable})`;
}

function list(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

function origin(text: string): string {
  if (URL.parse(text)?.origin !== text) {
    throw usageError(
      `${nameOf('allowedOrigins')} must list origins such as https://shop.example, not "${text}".`,
    );
  }
  return text;
}
