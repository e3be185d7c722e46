import { InvalidArgumentError, type Command } from 'commander';
import { type ApiKey, describeKey, isUsable } from '../domain/api-key.ts';
import { issueKey, pickKey, rotateKey, type Rotation, unknownKey } from '../stores/issue-key.ts';
import type { ApiKeyStore } from '../stores/store.ts';
import { OperatorError } from '../domain/error.ts';
import { refuseMissingStore, storeAt } from '../stores/open.ts';
import { systemReason } from '../system/files.ts';
import { audited, auditHelp, storeOptions } from './audit.ts';
import { settings } from './settings.ts';
import { addExamples, durationMs, durationOption } from './terminal/usage.ts';
import {
  asInterrupted,
  reportStore,
  print,
  printAsync,
  printJson,
  renderJson,
  renderTable,
  visible,
} from './terminal/output.ts';

const keyArgument = [
  '<id|name>',
  'What petstore keys list shows: the id, or the name if no other key has it.',
] as const;

export function define(keys: Command): void {
  const now = new Date();
  keys
    .description(
      'Create, list, rotate and revoke the API keys of a store. A running service notices within a second. Run this as the ' +
        'user that the service runs as.',
    )
    .option('--json', 'Print JSON instead of text.')
    .addOption(settings.databaseUrl)
    .addHelpText('after', auditHelp);
  addExamples(
    keys,
    'petstore keys create --name till-2 --no-delete',
    'petstore keys create --name fair --expires 3d --read-only',
    'petstore keys list',
    'petstore keys rotate till-2 --overlap 7d',
    'petstore keys revoke till-2',
  );

  keys
    .command('create')
    .description('Create an API key and show it once.')
    .requiredOption('--name <name>', 'What the key is for, such as the till that uses it.', parseName)
    .option(
      '--expires <when>',
      'A date (2027-01-31, from midnight UTC) or a time from now (30m, 12h, 90d).',
      (text) => parseExpiry(text, now),
    )
    .option('--read-only', 'Let the key list and fetch, and change nothing.')
    .option('--no-delete', 'Let the key add and change pets, and delete none.')
    .action((_options, command: Command) => create(now, command.optsWithGlobals()));

  keys
    .command('list')
    .description('Show all API keys. LAST USED is true to five minutes.')
    .action((_options, command: Command) => list(command.optsWithGlobals()));

  keys
    .command('rotate')
    .description(
      'Replace a key: create one with the same name and rights, and show it once. The old key expires after the overlap. ' +
        'Idempotency keys belong to an API key: finish retries with the old one.',
    )
    .argument(...keyArgument)
    .addOption(durationOption('--overlap <time>', 'How long both keys are valid (30m, 24h, 7d).', '24h'))
    .option(
      '--expires <when>',
      'As for create. Without it, the new key gets the same lifetime as the old one.',
      (text) => parseExpiry(text, now),
    )
    .action((given: string, _options, command: Command) => rotate(given, now, command.optsWithGlobals()));

  keys
    .command('revoke')
    .description('Refuse a key from now on.')
    .argument(...keyArgument)
    .action((given: string, _options, command: Command) => revoke(given, command.optsWithGlobals()));
}

function parseName(text: string): string {
  if (text === '') throw new InvalidArgumentError('It must not be empty.');
  return text;
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
  name: string;
  readOnly?: boolean;
  delete: boolean;
}

async function create(now: Date, flags: CreateFlags): Promise<void> {
  const { name, expires: expiresAt, readOnly: isReadOnly = false, json, databaseUrl } = flags;
  const mayDelete = flags.delete && !isReadOnly;
  await audited('keys create', databaseUrl, { key: name, readOnly: isReadOnly, mayDelete }, (note) =>
    withKeys(databaseUrl, async (store) => {
      const { key, text } = await issueKey(store, { name, now, expiresAt, isReadOnly, mayDelete });
      note({ keyId: key.id });
      const created = { ...keyJson(key, now), key: text };
      await printOnce(key, json ? renderJson(created) : renderNewKey(key, text, databaseUrl));
    }),
  );
  if (json) reportStore(databaseUrl);
}

async function list({ json, databaseUrl }: KeysFlags): Promise<void> {
  refuseMissingStore(databaseUrl);
  const all = await withKeys(databaseUrl, (store) => store.listKeys());
  reportStore(databaseUrl);
  const rows = all.map((key) => keyJson(key, new Date()));
  if (json) printJson(rows);
  else if (rows.length === 0) print('There are no keys. Create one: petstore keys create --name NAME\n');
  else print(renderTable([headings, ...rows.map(cellsOf)]));
}

async function rotate(given: string, now: Date, flags: KeysFlags & { overlap: number }): Promise<void> {
  const { overlap: overlapMs, expires: expiresAt, json, databaseUrl } = flags;
  refuseMissingStore(databaseUrl);
  const replaced = await audited('keys rotate', databaseUrl, { keyId: given }, (note) =>
    withKeys(databaseUrl, async (store) => {
      const deliver: Rotation['deliver'] = ({ key, text, old }) => {
        note({ replacedBy: key.id });
        const successor = { ...keyJson(key, now), key: text, replaces: keyJson(old, now) };
        return printOnce(key, json ? renderJson(successor) : renderNewKey(key, text, databaseUrl));
      };
      const { old } = await rotateKey(store, given, { now, overlapMs, expiresAt, deliver });
      note({ keyId: old.id, key: old.name });
      return old;
    }),
  );
  if (json) return reportStore(databaseUrl);
  print(
    `\nKey ${replaced.id} (${describeKey(replaced.lastFour)}) expires at ${replaced.expiresAt?.toISOString()}.\n`,
  );
}

async function revoke(given: string, { json, databaseUrl }: KeysFlags): Promise<void> {
  refuseMissingStore(databaseUrl);
  const now = new Date();
  const key = await audited('keys revoke', databaseUrl, { keyId: given }, (note) =>
    withKeys(databaseUrl, async (store) => {
      const { id, name } = pickKey(await store.listKeys(), given, now);
      note({ keyId: id, key: name });
      const revoked = await store.revokeKey(id, now);
      if (!revoked) throw unknownKey(given);
      return revoked;
    }),
  );
  if (json) {
    reportStore(databaseUrl);
    return printJson(keyJson(key, now));
  }
  const description = `${visible(key.name)}, ${describeKey(key.lastFour)}`;
  print(`Key ${key.id} (${description}) of ${storeAt(databaseUrl).name} is revoked.\n`);
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

async function withKeys<Result>(
  databaseUrl: string,
  use: (store: ApiKeyStore) => Result | Promise<Result>,
): Promise<Result> {
  const store = await storeAt(databaseUrl).open(storeOptions(databaseUrl));
  try {
    return await use(store.keys);
  } catch (error) {
    throw asInterrupted('command', error, 'See: petstore keys list');
  } finally {
    await store.close();
  }
}

/** A key as shown by --json. */
export function keyJson(key: ApiKey, now: Date) {
  return {
    id: key.id,
    name: key.name,
    key: describeKey(key.lastFour),
    state: isUsable(key, now.getTime()) ? 'active' : key.revokedAt ? 'revoked' : 'expired',
    readOnly: key.isReadOnly,
    mayDelete: key.mayDelete,
    createdAt: key.createdAt.toISOString(),
    expiresAt: key.expiresAt?.toISOString() ?? null,
    revokedAt: key.revokedAt?.toISOString() ?? null,
    replacedBy: key.replacedBy ?? null,
    lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
  };
}

export type KeyJson = ReturnType<typeof keyJson>;

const headings = ['ID', 'NAME', 'KEY', 'RIGHTS', 'STATE', 'CREATED (UTC)', 'EXPIRES', 'LAST USED'];

function cellsOf(row: KeyJson): string[] {
  const { id, name, key, readOnly, mayDelete, state, createdAt, expiresAt, replacedBy, lastUsedAt } = row;
  const minutes = [createdAt, expiresAt, lastUsedAt].map(
    (time) => time?.slice(0, 16).replace('T', ' ') ?? '-',
  );
  const successor = replacedBy === null ? '' : `, replaced by ${replacedBy}`;
  const rights = readOnly ? 'read' : mayDelete ? 'all' : 'no delete';
  return [id, name, key, rights, `${state}${successor}`, ...minutes];
}
