import { InvalidArgumentError, type Command } from 'commander';
import { describeKey, issueKey, type ApiKeyStore } from '../../api-key.ts';
import { OperatorError } from '../../error.ts';
import { openStores, parseDatabaseUrl, refuseMissingStore } from '../../stores.ts';
import { settings } from '../settings.ts';
import { addExamples } from '../terminal/help.ts';
import { print, printJson } from '../terminal/output.ts';
import { visible } from '../terminal/visible.ts';
import { renderKeys, shownKey } from './show.ts';

interface KeysOptions {
  json?: boolean;
  databaseUrl: string;
}

interface CreateOptions extends KeysOptions {
  name: string;
  expires?: Date;
  readOnly?: boolean;
}

export function define(keys: Command): void {
  const now = new Date();
  keys
    .description('Create, list and revoke the API keys of a store. A running service follows at once.')
    .option('--json', 'Print JSON instead of text.')
    .addOption(settings.databaseUrl);
  const create = keys
    .command('create')
    .description('Create an API key and show it once.')
    .requiredOption('--name <name>', 'What the key is for, such as the till that uses it.', parseName)
    .option(
      '--expires <when>',
      'A date (2027-01-31, 2027-01-31T12:00:00Z) or a time from now (30m, 12h, 90d).',
      (text) => parseExpiry(text, now),
    )
    .option('--read-only', 'The key may list and fetch, and change nothing.')
    .action((_options, command: Command) => createKey(now, command.optsWithGlobals()));
  const list = keys
    .command('list')
    .description('Show all API keys.')
    .action((_options, command: Command) => listKeys(command.optsWithGlobals()));
  const revoke = keys
    .command('revoke')
    .description('Refuse a key from now on.')
    .argument('<id>', 'The id that petstore keys list shows.')
    .action((id: string, _options, command: Command) => revokeKey(id, command.optsWithGlobals()));
  const createExamples = [
    'petstore keys create --name till-2',
    'petstore keys create --name fair --expires 3d --json',
    'petstore keys create --name shop-window --read-only',
  ];
  addExamples(keys, ...createExamples, 'petstore keys list', 'petstore keys revoke 2');
  addExamples(create, ...createExamples);
  addExamples(list, 'petstore keys list', 'petstore keys list --json');
  addExamples(revoke, 'petstore keys revoke 2');
}

async function createKey(now: Date, options: CreateOptions): Promise<void> {
  const { name, expires: expiresAt, readOnly: isReadOnly = false, json, databaseUrl } = options;
  const { key, text } = await withKeys(databaseUrl, (store) =>
    issueKey(store, { name, now, expiresAt, isReadOnly }),
  );
  if (json) return printJson({ ...shownKey(key, now), key: text });
  const location = parseDatabaseUrl(databaseUrl);
  // An address may contain a password.
  const where = 'path' in location ? location.path : 'the database';
  const rights = isReadOnly ? ', read-only' : '';
  const until = expiresAt ? `, valid until ${expiresAt.toISOString()}` : '';
  print(
    `Key ${key.id} (${visible(name)}) of ${visible(where)}${rights}${until}. It is shown only this once:\n\n  ${text}\n`,
  );
}

async function listKeys({ json, databaseUrl }: KeysOptions): Promise<void> {
  refuseMissingStore(databaseUrl);
  const all = await withKeys(databaseUrl, (store) => store.listKeys());
  const rows = all.map((key) => shownKey(key, new Date()));
  if (json) printJson(rows);
  else if (rows.length === 0) print('There are no keys. Create one: petstore keys create --name NAME\n');
  else print(renderKeys(rows));
}

async function revokeKey(id: string, { json, databaseUrl }: KeysOptions): Promise<void> {
  refuseMissingStore(databaseUrl);
  const now = new Date();
  const key = await withKeys(databaseUrl, (store) => store.revokeKey(id, now));
  if (!key) throw new OperatorError(`No key has the id "${id}".`, 'See: petstore keys list');
  if (json) printJson(shownKey(key, now));
  else print(`Key ${key.id} (${visible(key.name)}, ${describeKey(key.lastFour)}) is revoked.\n`);
}

async function withKeys<Result>(
  databaseUrl: string,
  use: (store: ApiKeyStore) => Result | Promise<Result>,
): Promise<Result> {
  const stores = await openStores(databaseUrl, { environment: process.env });
  try {
    return await use(stores.keys);
  } finally {
    await stores.close();
  }
}

function parseName(text: string): string {
  if (text === '') throw new InvalidArgumentError('A key needs a name.');
  return text;
}

const unitMs: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

function parseExpiry(text: string, now: Date): Date {
  const [, count, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const isDate = /^\d{4}-\d\d-\d\d/.test(text);
  const time = isDate ? Date.parse(text) : now.getTime() + Number(count) * (unitMs[unit] ?? NaN);
  if (Number.isNaN(time)) {
    throw new InvalidArgumentError('It must be a date such as 2027-01-31 or a time such as 90d.');
  }
  if (time <= now.getTime()) throw new InvalidArgumentError('It must be in the future.');
  return new Date(time);
}
