import { describeKey, isUsable, issueKey, type ApiKey, type ApiKeyStore } from '../api-key.ts';
import { OperatorError, usageError } from '../error.ts';
import { readArguments } from './arguments.ts';
import { databaseUrlOf, settings } from './config.ts';
import { print } from './terminal/output.ts';
import { openStores, parsePlace, refuseMissing } from '../stores.ts';
import { renderTable } from './terminal/table.ts';
import { visible } from './terminal/visible.ts';

const help = `Make, list and revoke the API keys of a store. A running service follows at once.

Usage:
  petstore keys create --name NAME [--expires WHEN] [--json]
  petstore keys list [--json]
  petstore keys revoke <id> [--json]

Options:
  --name NAME           What the key is for, such as the till that uses it.
  --expires WHEN        A date (2027-01-31, 2027-01-31T12:00:00Z) or a time from now (12h, 90d).
  --json                Print JSON instead of text.
  --database-url PLACE  ${settings.databaseUrl.help} (DATABASE_URL)
                        Default: ${settings.databaseUrl.fallback}

Examples:
  petstore keys create --name till-2
  petstore keys create --name fair --expires 3d --json
  petstore keys list
  petstore keys revoke 2
`;

export const options = {
  name: { type: 'string' },
  expires: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  'database-url': { type: 'string' },
} as const;

export async function keys(args: string[]): Promise<number> {
  const { values, positionals } = readArguments('keys', args, { options, allowPositionals: true });
  const [action, ...rest] = positionals;
  if (values.help || action === undefined) return print(help);

  const databaseUrl = databaseUrlOf(values['database-url'], process.env);
  const withStore = async (use: (store: ApiKeyStore) => Promise<number>): Promise<number> => {
    if (action !== 'create') refuseMissing(databaseUrl);
    const stores = await openStores(databaseUrl);
    try {
      return await use(stores.keys);
    } finally {
      await stores.close();
    }
  };

  switch (action) {
    case 'create': {
      if (!values.name || rest.length > 0)
        throw usageError('A key needs a name: petstore keys create --name NAME');
      const now = new Date();
      const expiresAt = values.expires === undefined ? undefined : parseExpiry(values.expires, now);
      const name = values.name;
      return withStore(async (store) => {
        const { key, text } = await issueKey(store, { name, now, expiresAt });
        return print(
          values.json ? asJson({ ...shown(key, now), key: text }) : created(key, text, databaseUrl),
        );
      });
    }
    case 'list':
      if (rest.length > 0) throw usageError('This command takes no arguments: petstore keys list');
      return withStore(async (store) => {
        const all = (await store.listKeys()).map((key) => shown(key, new Date()));
        return print(values.json ? asJson(all) : table(all));
      });
    case 'revoke': {
      const [id, ...others] = rest;
      if (id === undefined || others.length > 0) throw usageError('Say which key: petstore keys revoke <id>');
      return withStore(async (store) => {
        const now = new Date();
        const key = await store.revokeKey(id, now);
        if (!key) throw new OperatorError(`No key has the id "${id}". See: petstore keys list`);
        const text = `Key ${key.id} (${visible(key.name)}, ${describeKey(key.lastFour)}) is revoked.\n`;
        return print(values.json ? asJson(shown(key, now)) : text);
      });
    }
    default:
      throw usageError(`There is no command "keys ${action}". See: petstore keys --help`);
  }
}

const unitMs: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

function parseExpiry(text: string, now: Date): Date {
  const [, count, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const time =
    count === undefined
      ? /^\d{4}-\d\d-\d\d/.test(text)
        ? Date.parse(text)
        : NaN
      : now.getTime() + Number(count) * (unitMs[unit] ?? NaN);
  if (Number.isNaN(time))
    throw usageError(`--expires must be a date such as 2027-01-31 or a time such as 90d, not "${text}".`);
  if (time <= now.getTime()) throw usageError(`--expires must lie in the future, not "${text}".`);
  return new Date(time);
}

interface ShownKey {
  id: string;
  name: string;
  key: string;
  state: 'active' | 'expired' | 'revoked';
  createdAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
  lastUsedAt: string | null;
}

function shown(key: ApiKey, now: Date): ShownKey {
  return {
    id: key.id,
    name: key.name,
    key: describeKey(key.lastFour),
    state: isUsable(key, now.getTime()) ? 'active' : key.revokedAt ? 'revoked' : 'expired',
    createdAt: key.createdAt.toISOString(),
    expiresAt: key.expiresAt?.toISOString() ?? null,
    revokedAt: key.revokedAt?.toISOString() ?? null,
    lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
  };
}

function created(key: ApiKey, text: string, databaseUrl: string): string {
  const until = key.expiresAt ? `, valid until ${key.expiresAt.toISOString()}` : '';
  const place = parsePlace(databaseUrl);
  // An address may hold a password.
  const where = 'path' in place ? place.path : 'the database';
  return `Key ${key.id} (${visible(key.name)}) of ${visible(where)}${until}. It is shown only this once:\n\n  ${text}\n`;
}

function table(all: ShownKey[]): string {
  if (all.length === 0) return 'There are no keys. Make one: petstore keys create --name NAME\n';
  const minute = (time: string | null) => time?.slice(0, 16).replace('T', ' ') ?? '-';
  const rows = [
    ['ID', 'NAME', 'KEY', 'STATE', 'CREATED (UTC)', 'EXPIRES', 'LAST USED'],
    ...all.map(({ id, name, key, state, createdAt, expiresAt, lastUsedAt }) => [
      id,
      name,
      key,
      state,
      minute(createdAt),
      minute(expiresAt),
      minute(lastUsedAt),
    ]),
  ];
  return renderTable(rows);
}

function asJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
