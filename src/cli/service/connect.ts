import type { Command } from 'commander';
import {
  createClient,
  type DeprecationNotice,
  type ExperimentalPetstoreClient,
} from '../../../packages/client/src/index.ts';
import { usageError } from '../../domain/error.ts';
import { Setting } from '../settings.ts';
import { addressOfSettings } from './address.ts';

export interface ConnectionOptions {
  json?: boolean;
  url: string;
  apiKey?: string;
}

/** Names the service to call. */
export const urlSetting = new Setting(
  'PETSTORE_URL',
  '<address>',
  '',
  'The service. Default: the one on this machine with the same HOST, PORT and TLS_CERT.',
  'url',
);
export const keySetting = new Setting(
  'PETSTORE_API_KEY',
  '<key>',
  '',
  'The key to call with. Other users of the machine can see flags; prefer the variable.',
  'api-key',
);

/** Adds the options of a command that calls a running service. */
export function addConnectionOptions(command: Command): Command {
  return command
    .option('--json', 'Print JSON on a terminal, too.')
    .addOption(urlSetting)
    .addOption(keySetting);
}

/** The address to call: that of `--url` or `PETSTORE_URL`, otherwise of the service with the same settings. */
export function addressOf({ url }: Pick<ConnectionOptions, 'url'>): string {
  return url ? parseAddress(url, '--url (PETSTORE_URL)') : addressOfSettings(process.env);
}

/** The address of a service; `name` says where it was given. */
export function parseAddress(url: string, name: string): string {
  const address = URL.parse(url);
  if (address?.username || address?.password) {
    throw usageError(`${name} must not contain a user name or a password.`);
  }
  if (address && /^https?:$/.test(address.protocol)) return address.href;
  throw usageError(`${name} must be an address such as http://127.0.0.1:8080, not "${url}".`);
}

export const keyNeeded = usageError(
  'An API key is needed.',
  'Set PETSTORE_API_KEY. To create one: petstore keys create --name NAME',
);

export function connect(
  options: ConnectionOptions,
  onDeprecation = warnOfRemoval,
): ExperimentalPetstoreClient {
  const baseUrl = addressOf(options);
  const { apiKey } = options;
  if (!apiKey) throw keyNeeded;
  return createClient({
    baseUrl,
    apiKey,
    experimental: true,
    // A person is waiting: give up soon.
    retryForMs: 2000,
    onDeprecation,
  });
}

/** The notice belongs to getPet, but a service without updates and deletes sends it with their 405 as well. */
function warnOfRemoval({ operation, sunsetAt }: DeprecationNotice): void {
  if (operation !== 'getPet') return;
  const date = sunsetAt ? ` on ${sunsetAt.toISOString().slice(0, 10)}` : '';
  process.stderr.write(
    `The service will remove this operation${date}. Use petstore pets list --status STATUS.\n`,
  );
}
