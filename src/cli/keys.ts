import { InvalidArgumentError, Option, type Command } from 'commander';
import {
  type ApiKey,
  describeKey,
  endOf,
  isKeyName,
  isUsable,
  keyLike,
  type NewKey,
  stateOf,
} from '../domain/api-key.ts';
import { issueKey } from '../stores/issue-key.ts';
import type { ApiKeyStore } from '../stores/store.ts';
import { OperatorError, usageError } from '../domain/error.ts';
import { storeAt } from '../stores/open.ts';
import { systemReason } from '../system/files.ts';
import { settings } from './settings.ts';
import { withStore } from './store.ts';
import { addExamples, durationMs, parseDuration } from './terminal/usage.ts';
import { print, printAsync, renderJson, renderTable, visible } from './terminal/output.ts';

const keyArgument = [
  '<id|name>',
  'What petstore keys list shows: the id, or the name if no other key has it.',
] as const;

export function define(keys: Command): void {
  const now = new Date();
  keys
    .description(
      'Create, list and revoke the API keys of a store. A running service notices within a second. Run this as the ' +
        'user that the service runs as.',
    )
    .option('--json', 'Print JSON instead of text.')
    .addOption(settings.databaseUrl);
  addExamples(
    keys,
    'petstore keys create --name till-2 --no-delete',
    'petstore keys create --name fair --expires 3d --read-only',
    'petstore keys list',
    'petstore keys create --like till-2',
    'petstore keys revoke 2 --in 24h',
  );

  keys
    .command('create')
    .description('Create an API key and show it once.')
    .option('--name <name>', 'Who uses the key, such as a till.', parseName)
    .option(
      '--expires <when>',
      'A date (2027-01-31, from midnight UTC) or a time from now (30m, 12h, 90d).',
      (text) => parseExpiry(text, now),
    )
    .option('--read-only', 'The key can read, but not change anything.')
    .option('--no-delete', 'The key can add and change pets, but not delete them.')
    .addOption(
      new Option(
        '--like <id|name>',
        'Replace a key: the new one has the same name, rights and lifetime, and the output says how to end the old ' +
          'one. Idempotency keys belong to an API key, so finish retries with the old one.',
      ).conflicts(['name', 'expires', 'readOnly', 'delete']),
    )
    .action((_options, command: Command) => create(now, command.optsWithGlobals()));

  keys
    .command('list')
    .description('Show all API keys. LAST USED is accurate to five minutes.')
    .action((_options, command: Command) => list(command.optsWithGlobals()));

  keys
    .command('revoke')
    .description(
      'Revoke a key now, or with --in after some time. Another revoke can only move that time earlier.',
    )
    .argument(...keyArgument)
    .option('--in <time>', 'How long the key can still be used (30m, 24h, 7d).', parseDuration)
    .action((idOrName: string, _options, command: Command) => revoke(idOrName, command.optsWithGlobals()));
}

function parseName(text: string): string {
  if (isKeyName(text)) return text;
  throw new InvalidArgumentError(
    'It must have 1 to 100 characters, not only spaces, and no control characters.',
  );
}

/** Accepts a day, which begins at midnight UTC, or a duration from now. */
function parseExpiry(text: string, now: Date): Date {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text);
  const time = isDay ? Date.parse(text) : now.getTime() + durationMs(text);
  // Date.parse reads February 30 as March 2.
  if (Number.isNaN(time) || (isDay && !new Date(time).toISOString().startsWith(text))) {
    throw new InvalidArgumentError('It must be a date such as 2027-01-31 or a time such as 90d.');
  }
  if (time <= now.getTime()) throw new InvalidArgumentError('It must be in the future.');
  return new Date(time);
}

interface KeysFlags {
  json?: boolean;
  databaseUrl: string;
  expires?: Date;
}

/** Commander makes `delete` of `--no-delete`. */
interface CreateFlags extends KeysFlags {
  name?: string;
  like?: string;
  readOnly?: boolean;
  delete: boolean;
}

async function create(now: Date, flags: CreateFlags): Promise<void> {
  const { name, like, expires: expiresAt, readOnly: isReadOnly = false, delete: mayDelete } = flags;
  if (like !== undefined) return createLike(like, now, flags);
  if (name === undefined) throw usageError('A key needs a name.', 'Give it one: --name NAME');
  const newKey = { name, now, expiresAt, isReadOnly, mayDelete };
  await withKeys(flags.databaseUrl, (store) => issueAndShow(store, newKey, flags), { mayCreate: true });
}

async function createLike(idOrName: string, now: Date, flags: CreateFlags): Promise<void> {
  await withKeys(flags.databaseUrl, async (store) => {
    const old = pickKey(await store.listKeys(), idOrName, now);
    await issueAndShow(store, keyLike(old, now), flags, old);
  });
}

async function issueAndShow(
  store: ApiKeyStore,
  newKey: NewKey,
  { json, databaseUrl }: KeysFlags,
  old?: ApiKey,
): Promise<void> {
  const { key, text } = await issueKey(store, newKey);
  const { now } = newKey;
  await printOnce(
    key,
    json
      ? renderJson({ ...keyJson(key, now), key: text, ...(old && { like: old.id }) })
      : renderNewKey(key, text, databaseUrl) + (old ? renderNextStep(old, now) : ''),
  );
}

async function list({ json, databaseUrl }: KeysFlags): Promise<void> {
  const keys = await withKeys(databaseUrl, (store) => store.listKeys());
  const rows = keys.map((key) => keyJson(key, new Date()));
  if (json) print(renderJson(rows));
  else if (rows.length === 0) print('There are no keys. Create one: petstore keys create --name NAME\n');
  else print(renderTable([headings, ...rows.map(cellsOf)]));
}

async function revoke(idOrName: string, flags: KeysFlags & { in?: number }): Promise<void> {
  const { in: delayMs = 0, json, databaseUrl } = flags;
  const now = new Date();
  const key = await withKeys(databaseUrl, async (store) => {
    const { id } = pickKey(await store.listKeys(), idOrName, now);
    const revoked = await store.revokeKey(id, new Date(now.getTime() + delayMs));
    if (!revoked) throw unknownKey(idOrName);
    return revoked;
  });
  if (json) return print(renderJson(keyJson(key, now)));
  const description = `${visible(key.name)}, ${describeKey(key.lastFour)}`;
  print(`Key ${key.id} (${description}) of ${storeAt(databaseUrl).name} ${describeEnd(key, now)}.\n`);
}

function describeEnd(key: ApiKey, now: Date): string {
  const state = stateOf(key, now.getTime());
  if (state === 'active') return `can be used until ${endOf(key)?.toISOString()}`;
  return state === 'revoked' ? 'is revoked' : 'has expired';
}

/** The key with this id, or else the one with this name. A usable key comes before those that are not. */
function pickKey(keys: readonly ApiKey[], idOrName: string, now: Date): ApiKey {
  const withId = keys.find(({ id }) => id === idOrName);
  if (withId) return withId;
  const withName = keys.filter(({ name }) => name === idOrName);
  const usable = withName.filter((key) => isUsable(key, now.getTime()));
  const [key, ...others] = usable.length > 0 ? usable : withName;
  if (!key) throw unknownKey(idOrName);
  if (others.length === 0) return key;
  const ids = [key, ...others].map(({ id }) => id).join(', ');
  throw new OperatorError(`Several keys have the name "${idOrName}": ${ids}.`, 'Use the id of one of them.');
}

function unknownKey(idOrName: string): OperatorError {
  return new OperatorError(`No key has the id or the name "${idOrName}".`, 'See: petstore keys list');
}

/** A key that cannot be shown stays valid, although nobody knows it. */
async function printOnce({ id }: ApiKey, text: string): Promise<void> {
  await printAsync(text).catch((error: unknown) => {
    throw new OperatorError(
      `Key ${id} was made, but it could not be shown: ${systemReason(error)}.`,
      `Revoke it: petstore keys revoke ${id}`,
    );
  });
}

/** Nothing if the old key has ended, or has an end already. */
function renderNextStep(old: ApiKey, now: Date): string {
  if (!isUsable(old, now.getTime()) || old.revokedAt) return '';
  const next = `petstore keys revoke ${old.id} --in 24h`;
  return `\nKey ${old.id} can still be used. Once its caller has the new key, end it:\n\n  ${next}\n`;
}

function renderNewKey(
  { id, name, isReadOnly, mayDelete, expiresAt }: ApiKey,
  text: string,
  databaseUrl: string,
): string {
  const where = visible(storeAt(databaseUrl).name);
  const rights = isReadOnly ? ', read-only' : mayDelete ? '' : ', without deletes';
  const until = expiresAt ? `, valid until ${expiresAt.toISOString()}` : '';
  return `Key ${id} (${visible(name)}) of ${where}${rights}${until}. It is shown only this once:\n\n  ${text}\n`;
}

function withKeys<Result>(
  databaseUrl: string,
  use: (store: ApiKeyStore) => Result | Promise<Result>,
  { mayCreate = false } = {},
): Promise<Result> {
  return withStore(
    databaseUrl,
    (location, options) => location.open({ ...options, mayCreate }),
    ({ keys }) => use(keys),
  );
}

/** A key as shown by --json. */
export function keyJson(key: ApiKey, now: Date) {
  return {
    id: key.id,
    name: key.name,
    key: describeKey(key.lastFour),
    state: stateOf(key, now.getTime()),
    readOnly: key.isReadOnly,
    mayDelete: key.mayDelete,
    createdAt: key.createdAt.toISOString(),
    expiresAt: key.expiresAt?.toISOString() ?? null,
    revokedAt: key.revokedAt?.toISOString() ?? null,
    lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
  };
}

export type KeyJson = ReturnType<typeof keyJson>;

const headings = ['ID', 'NAME', 'KEY', 'RIGHTS', 'STATE', 'CREATED (UTC)', 'EXPIRES', 'LAST USED'];

function cellsOf({ id, name, key, readOnly, mayDelete, state, ...times }: KeyJson): string[] {
  const minuteOf = (time: string | null): string => time?.slice(0, 16).replace('T', ' ') ?? '-';
  const { createdAt, expiresAt, revokedAt, lastUsedAt } = times;
  const rights = readOnly ? 'read' : mayDelete ? 'all' : 'no delete';
  const end = state === 'active' && revokedAt !== null ? `active until ${minuteOf(revokedAt)}` : state;
  return [id, name, key, rights, end, minuteOf(createdAt), minuteOf(expiresAt), minuteOf(lastUsedAt)];
}
