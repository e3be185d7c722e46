import { parseEnv } from 'node:util';
import { Option, type Command } from 'commander';
import { usageError } from '../domain/error.ts';
import { logLevels } from '../system/log.ts';
import type { ServeOptions } from '../server/options.ts';
import { readFileOf } from '../system/files.ts';

/** An option that a variable can also set. The flag wins; an empty flag or variable counts as absent. */
export class Setting extends Option {
  readonly variable: string;
  /** The default; empty if there is none. */
  readonly fallback: string;

  /** The flag is the variable in lower case: `--database-url` for `DATABASE_URL`. */
  constructor(variable: string, value: string, fallback: string, help: string) {
    super(`--${variable.toLowerCase().replaceAll('_', '-')} ${value}`, help);
    this.variable = variable;
    this.fallback = fallback;
    this.env(variable).argParser((text) => text || process.env[variable] || fallback);
    if (fallback !== '') this.default(fallback, fallback);
  }
}

/** The settings of `petstore serve`: flags, environment variables and help. `.env.example` lists them too. */
export const settings = {
  host: new Setting('HOST', '<address>', '127.0.0.1', 'Address to listen on.'),
  port: new Setting('PORT', '<number>', '8080', 'Port to listen on; 0 picks a free one.'),
  databaseUrl: new Setting(
    'DATABASE_URL',
    '<address>',
    'data/petstore.db',
    'The store: a file path, a sqlite: or a postgres: address.',
  ),
  apiKeys: new Setting(
    'API_KEYS',
    '<keys>',
    '',
    'API keys to accept besides those in the store, separated by commas. Other users of the machine can see flags; ' +
      'prefer the variable.',
  ),
  logLevel: Object.assign(new Setting('LOG_LEVEL', '<level>', 'info', 'Least severe level to log.'), {
    argChoices: [...logLevels],
  }),
  accessLog: new Setting(
    'ACCESS_LOG',
    '[boolean]',
    'false',
    'Log every request, not only slow and failed ones.',
  ),
  allowedOrigins: new Setting(
    'ALLOWED_ORIGINS',
    '<origins>',
    '',
    'Origins whose web pages may call the API, such as https://shop.example, separated by commas.',
  ),
  tlsCert: new Setting(
    'TLS_CERT',
    '<file>',
    '',
    'Certificate (PEM) to serve HTTPS with; needs --tls-key. Restart after a renewal.',
  ),
  tlsKey: new Setting('TLS_KEY', '<file>', '', 'Private key (PEM) of the certificate.'),
  rateLimit: new Setting(
    'RATE_LIMIT',
    '<number>',
    '0',
    'Requests per minute that the service accepts from one key; 0 means no limit.',
  ),
  stopDelaySeconds: new Setting(
    'STOP_DELAY',
    '<seconds>',
    '5',
    'How long to keep serving, but report not ready, after SIGTERM: a load balancer needs time to notice.',
  ),
  stableOnly: new Setting(
    'STABLE_ONLY',
    '[boolean]',
    'false',
    'Serve only the three stable operations. Pets cannot be changed or deleted, orders cannot be listed, and there is ' +
      'no console.',
  ),
  metricsPort: new Setting(
    'METRICS_PORT',
    '<number>',
    '',
    'Port that serves metrics for Prometheus at /metrics, without a key; 0 picks a free one. Default: none.',
  ),
  metricsHost: new Setting('METRICS_HOST', '<address>', '127.0.0.1', 'Address of the metrics port.'),
  publicUrl: new Setting(
    'PUBLIC_URL',
    '<address>',
    '',
    'Address of the production service for the docs, such as https://pets.example/v1.',
  ),
  stagingUrl: new Setting(
    'STAGING_URL',
    '<address>',
    '',
    'Address of the staging service for the OpenAPI documents, such as https://staging.pets.example/v1.',
  ),
} satisfies Record<keyof ServeOptions, Setting>;

/** Gives a command the settings of `petstore serve`. `readServeOptions` checks their values. */
export function addServeOptions(command: Command): void {
  for (const option of Object.values(settings)) command.addOption(option);
}

/** Checks the texts that commander collected from flags, environment and defaults. */
export function readServeOptions(texts: Record<string, string | boolean>): ServeOptions {
  const text = (name: keyof ServeOptions): string => String(texts[settings[name].attributeName()] ?? '');
  const integer = (name: keyof ServeOptions, smallest: number, largest: number): number =>
    readInteger(name, text(name), smallest, largest);
  const choice = <Value extends string>(name: keyof ServeOptions, values: readonly Value[]): Value => {
    const value = values.find((candidate) => candidate === text(name));
    if (value !== undefined) return value;
    throw usageError(`${nameOf(name)} must be one of ${values.join(', ')}, not "${text(name)}".`);
  };
  const options: ServeOptions = {
    host: text('host'),
    port: integer('port', 0, 65_535),
    databaseUrl: text('databaseUrl'),
    apiKeys: list(text('apiKeys')),
    logLevel: choice('logLevel', logLevels),
    accessLog: choice('accessLog', ['true', 'false']) === 'true',
    allowedOrigins: list(text('allowedOrigins')).map(checkOrigin),
    tlsCert: text('tlsCert') || undefined,
    tlsKey: text('tlsKey') || undefined,
    rateLimit: integer('rateLimit', 0, 999_999),
    stopDelaySeconds: integer('stopDelaySeconds', 0, 300),
    stableOnly: choice('stableOnly', ['true', 'false']) === 'true',
    metricsHost: text('metricsHost'),
    metricsPort: text('metricsPort') === '' ? undefined : integer('metricsPort', 0, 65_535),
    publicUrl: checkServiceUrl('publicUrl', text('publicUrl')),
    stagingUrl: checkServiceUrl('stagingUrl', text('stagingUrl')),
  };
  if (options.apiKeys.some((key) => !/^[!-~]+$/.test(key))) {
    throw usageError(
      `${nameOf('apiKeys')} must be visible ASCII characters without spaces, separated by commas.`,
    );
  }
  if ((options.tlsCert === undefined) !== (options.tlsKey === undefined)) {
    throw usageError(`${nameOf('tlsCert')} and ${nameOf('tlsKey')} must be given together.`);
  }
  return options;
}

/** Reads the value of a setting that is an integer. */
export function readInteger(
  name: keyof ServeOptions,
  text: string,
  smallest: number,
  largest: number,
): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
  if (value >= smallest && value <= largest) return value;
  throw usageError(`${nameOf(name)} must be an integer from ${smallest} to ${largest}, not "${text}".`);
}

/** Names a setting by flag and variable. */
function nameOf(name: keyof ServeOptions): string {
  return `${settings[name].long} (${settings[name].variable})`;
}

function list(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

function checkOrigin(text: string): string {
  if (URL.parse(text)?.origin === text) return text;
  throw usageError(
    `${nameOf('allowedOrigins')} must list origins such as https://shop.example, not "${text}".`,
  );
}

/** The contract's URLs end in the major version. */
function checkServiceUrl(name: 'publicUrl' | 'stagingUrl', text: string): string | undefined {
  if (text === '') return undefined;
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol) && !/[?#@]/.test(text) && url.pathname.endsWith('/v1')) {
    return url.href;
  }
  // Not shown, because it may contain a password.
  const form = 'an http: or https: address without a user that ends in /v1, such as https://pets.example/v1';
  throw usageError(`${nameOf(name)} must be ${form}.`);
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
