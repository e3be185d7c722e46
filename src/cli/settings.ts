import { parseEnv } from 'node:util';
import { Option, type Command } from 'commander';
import { usageError } from '../domain/error.ts';
import { isNetwork } from '../http/client-address.ts';
import { logLevels } from '../system/log.ts';
import type { ServeOptions } from '../server/options.ts';
import { readFileOf } from '../system/files.ts';

/** Checks the text of a setting. `name` is its flag and variable, for the message. */
type Read<Value> = (text: string, name: string) => Value;

/** An option that a variable can also set. The flag wins; an empty flag or variable counts as absent. */
export class Setting<Value = unknown> extends Option {
  readonly variable: string;
  /** The default; empty if there is none. */
  readonly fallback: string;
  readonly #read: Read<Value>;

  /** The flag is the variable in lower case: `--database-url` for `DATABASE_URL`. */
  constructor(variable: string, value: string, fallback: string, read: Read<Value>, help: string) {
    super(`--${variable.toLowerCase().replaceAll('_', '-')} ${value}`, help);
    this.variable = variable;
    this.fallback = fallback;
    this.#read = read;
    this.env(variable).argParser((text) => text || process.env[variable] || fallback);
    if (fallback !== '') this.default(fallback, fallback);
  }

  /** Checks the text that commander took from the flag, the environment or the default. */
  read(text: string): Value {
    return this.#read(text, `${this.long} (${this.variable})`);
  }
}

const text: Read<string> = (input) => input;
const textOrNone: Read<string | undefined> = (input) => input || undefined;

export function integer(smallest: number, largest: number): Read<number> {
  return (input, name) => {
    const value = /^\d{1,15}$/.test(input) ? Number(input) : NaN;
    if (value >= smallest && value <= largest) return value;
    throw usageError(`${name} must be an integer from ${smallest} to ${largest}, not "${input}".`);
  };
}

function oneOf<Value extends string>(values: readonly Value[]): Read<Value> {
  return (input, name) => {
    const value = values.find((candidate) => candidate === input);
    if (value !== undefined) return value;
    throw usageError(`${name} must be one of ${values.join(', ')}, not "${input}".`);
  };
}

const flag: Read<boolean> = (input, name) => oneOf(['true', 'false'])(input, name) === 'true';

/** Several values, separated by commas. */
function listOf(check: Read<string>): Read<string[]> {
  return (input, name) =>
    input
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '')
      .map((item) => check(item, name));
}

const key: Read<string> = (input, name) => {
  if (/^[!-~]+$/.test(input)) return input;
  throw usageError(`${name} must be visible ASCII characters without spaces, separated by commas.`);
};

const origin: Read<string> = (input, name) => {
  if (URL.parse(input)?.origin === input) return input;
  throw usageError(`${name} must list origins such as https://shop.example, not "${input}".`);
};

const network: Read<string> = (input, name) => {
  if (isNetwork(input)) return input;
  throw usageError(`${name} must list addresses or networks such as 10.0.0.0/8, not "${input}".`);
};

/** The contract's URLs end in the major version. */
const serviceUrl: Read<string | undefined> = (input, name) => {
  if (input === '') return undefined;
  const url = URL.parse(input);
  if (url && /^https?:$/.test(url.protocol) && !/[?#@]/.test(input) && url.pathname.endsWith('/v1')) {
    return url.href;
  }
  // Not shown, because it may contain a password.
  const form = 'an http: or https: address without a user that ends in /v1, such as https://pets.example/v1';
  throw usageError(`${name} must be ${form}.`);
};

const port = integer(0, 65_535);

/** The settings of `petstore serve`: flags, variables, help, checks, and by `renderEnvExample` the file `.env.example`. */
export const settings = {
  host: new Setting('HOST', '<address>', '127.0.0.1', text, 'Address to listen on.'),
  port: new Setting('PORT', '<number>', '8080', port, 'Port to listen on; 0 picks a free one.'),
  databaseUrl: new Setting(
    'DATABASE_URL',
    '<address>',
    'data/petstore.db',
    text,
    'The store: a file path, a sqlite: or a postgres: address.',
  ),
  apiKeys: new Setting(
    'API_KEYS',
    '<keys>',
    '',
    listOf(key),
    'API keys to accept besides those in the store, separated by commas. Other users of the machine can see flags; ' +
      'prefer the variable.',
  ),
  logLevel: new Setting(
    'LOG_LEVEL',
    '<level>',
    'info',
    oneOf(logLevels),
    `Least severe level to log: ${logLevels.join(', ')}.`,
  ),
  accessLog: new Setting(
    'ACCESS_LOG',
    '[boolean]',
    'false',
    flag,
    'Log every request, not only slow and failed ones.',
  ),
  allowedOrigins: new Setting(
    'ALLOWED_ORIGINS',
    '<origins>',
    '',
    listOf(origin),
    'Origins whose web pages may call the API, such as https://shop.example, separated by commas.',
  ),
  trustedProxies: new Setting(
    'TRUSTED_PROXIES',
    '<networks>',
    '',
    listOf(network),
    'Addresses or networks of proxies, such as 10.0.0.0/8, separated by commas. The log names the client that they ' +
      'give in X-Forwarded-For.',
  ),
  tlsCert: new Setting(
    'TLS_CERT',
    '<file>',
    '',
    textOrNone,
    'Certificate (PEM) to serve HTTPS with; needs --tls-key. Restart after a renewal.',
  ),
  tlsKey: new Setting('TLS_KEY', '<file>', '', textOrNone, 'Private key (PEM) of the certificate.'),
  rateLimit: new Setting(
    'RATE_LIMIT',
    '<number>',
    '0',
    integer(0, 999_999),
    'Requests per minute that the service accepts from one key; 0 means no limit.',
  ),
  stopDelaySeconds: new Setting(
    'STOP_DELAY',
    '<seconds>',
    '5',
    integer(0, 300),
    'How long to keep serving, but report not ready, after SIGTERM: a load balancer needs time to notice.',
  ),
  stableOnly: new Setting(
    'STABLE_ONLY',
    '[boolean]',
    'false',
    flag,
    'Serve only the three stable operations. Pets cannot be changed or deleted, orders cannot be listed, and there is ' +
      'no console.',
  ),
  metricsPort: new Setting(
    'METRICS_PORT',
    '<number>',
    '',
    (input, name) => (input === '' ? undefined : port(input, name)),
    'Port that serves metrics for Prometheus at /metrics, without a key; 0 picks a free one. Default: none.',
  ),
  metricsHost: new Setting('METRICS_HOST', '<address>', '127.0.0.1', text, 'Address of the metrics port.'),
  publicUrl: new Setting(
    'PUBLIC_URL',
    '<address>',
    '',
    serviceUrl,
    'Address of the production service for the docs, such as https://pets.example/v1.',
  ),
  stagingUrl: new Setting(
    'STAGING_URL',
    '<address>',
    '',
    serviceUrl,
    'Address of the staging service for the OpenAPI documents, such as https://staging.pets.example/v1.',
  ),
} satisfies { [Name in keyof ServeOptions]: Setting<ServeOptions[Name]> };

/** PORT for those who call the service: 0 is no port that they could call. */
export const servicePort = new Setting(
  'PORT',
  '<number>',
  settings.port.fallback,
  integer(1, 65_535),
  'Port of the service.',
);

/** Gives a command the settings of `petstore serve`. `readServeOptions` checks their values. */
export function addServeOptions(command: Command): void {
  for (const setting of Object.values(settings)) command.addOption(setting);
}

/** Checks the texts that commander collected from flags, environment and defaults. */
export function readServeOptions(texts: Record<string, string | boolean>): ServeOptions {
  const values = Object.entries(settings).map(([name, setting]) => {
    return [name, setting.read(String(texts[setting.attributeName()] ?? ''))] as const;
  });
  const options = Object.fromEntries(values) as unknown as ServeOptions;
  if ((options.tlsCert === undefined) !== (options.tlsKey === undefined))
    throw usageError('--tls-cert (TLS_CERT) and --tls-key (TLS_KEY) must be set together.');
  return options;
}

/** The text of `.env.example`; `bun scripts/env-example.ts` writes it. */
export function renderEnvExample(): string {
  const entries = Object.values(settings).map(
    ({ description, variable, fallback }) => `\n${comment(description)}\n# ${variable}=${fallback}\n`,
  );
  return `# Every setting of \`petstore serve\` with its default. Copy this file to .env and uncomment what you change.
# A flag of the same name (--port for PORT) wins over the environment, and the environment over this file.
# Only \`npm start\` and \`npm run dev\` read .env on their own, in this folder. Other commands: --env-file .env
# Put a value with # in single quotes: without them, it ends there.
${entries.join('')}`;
}

/** Breaks a text into lines of at most 120 characters. */
function comment(sentences: string): string {
  return `# ${sentences}`.replaceAll(/(.{1,118})(?: |$)/g, '$1\n# ').slice(0, -3);
}

/**
 * Adds a file's settings to the environment, which takes precedence. Only the file named by `--env-file` is read,
 * because the current folder may belong to anybody.
 */
export function readEnvFile(path: string, environment: NodeJS.ProcessEnv): void {
  if (path === '') throw usageError('--env-file must name a file.');
  for (const [name, value] of Object.entries(parseEnv(readFileOf('--env-file', path)))) {
    environment[name] ??= value;
  }
}
