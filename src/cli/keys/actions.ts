import { describeKey, isUsable, issueKey, type ApiKey, type ApiKeyStore } from '../../domain/api-key.ts';
import { rotateKey, unknownKey } from '../../domain/key-rotation.ts';
import { openStores, parseDatabaseUrl, refuseMissingStore } from '../../stores.ts';
import { audited, storeOptions } from '../audit.ts';
import { print, printJson, renderTable } from '../terminal/output.ts';
import { visible } from '../terminal/visible.ts';

interface KeysOptions {
  json?: boolean;
  databaseUrl: string;
}

interface CreateOptions extends KeysOptions {
  name: string;
  expires?: Date;
  readOnly?: boolean;
}

interface RotateOptions extends KeysOptions {
  overlap: number;
  expires?: Date;
}

export async function create(now: Date, options: CreateOptions): Promise<void> {
  const { name, expires: expiresAt, readOnly: isReadOnly = false, json, databaseUrl } = options;
  const { key, text } = await audited(
    'keys create',
    databaseUrl,
    () => withKeys(databaseUrl, (store) => issueKey(store, { name, now, expiresAt, isReadOnly })),
    ({ key: { id } }) => ({ keyId: id, key: name, readOnly: isReadOnly }),
  );
  if (json) printJson({ ...shownKey(key, now), key: text });
  else print(introduce(key, text, databaseUrl));
}

export async function list({ json, databaseUrl }: KeysOptions): Promise<void> {
  refuseMissingStore(databaseUrl);
  const all = await withKeys(databaseUrl, (store) => store.listKeys());
  const rows = all.map((key) => shownKey(key, new Date()));
  if (json) printJson(rows);
  else if (rows.length === 0) print('There are no keys. Create one: petstore keys create --name NAME\n');
  else print(renderTable([headings, ...rows.map(cellsOf)]));
}

export async function rotate(id: string, now: Date, options: RotateOptions): Promise<void> {
  const { overlap: overlapMs, expires: expiresAt, json, databaseUrl } = options;
  refuseMissingStore(databaseUrl);
  const { key, text, old, doubt } = await audited(
    'keys rotate',
    databaseUrl,
    () => withKeys(databaseUrl, (store) => rotateKey(store, id, { now, overlapMs, expiresAt })),
    (rotated) => ({
      ...{ keyId: id, key: rotated.old.name, replacedBy: rotated.key.id },
      ...(rotated.doubt !== undefined && { outcome: 'unknown' }),
    }),
  );
  if (doubt !== undefined) {
    process.stderr.write(
      `petstore: The new key is valid, but it is not known whether key ${id} was replaced and expires: ${doubt.message}\n`,
    );
  }
  if (json) return printJson({ ...shownKey(key, now), key: text, replaces: shownKey(old, now) });
  print(introduce(key, text, databaseUrl));
  if (doubt === undefined)
    print(`\nKey ${old.id} (${describeKey(old.lastFour)}) expires at ${old.expiresAt?.toISOString()}.\n`);
}

export async function revoke(id: string, { json, databaseUrl }: KeysOptions): Promise<void> {
  refuseMissingStore(databaseUrl);
  const now = new Date();
  const key = await audited(
    'keys revoke',
    databaseUrl,
    async () => (await withKeys(databaseUrl, (store) => store.revokeKey(id, now))) ?? refuseUnknown(id),
    ({ name }) => ({ keyId: id, key: name }),
  );
  if (json) printJson(shownKey(key, now));
  else print(`Key ${key.id} (${visible(key.name)}, ${describeKey(key.lastFour)}) is revoked.\n`);
}

function refuseUnknown(id: string): never {
  throw unknownKey(id);
}

/** Shows a new key. */
function introduce({ id, name, isReadOnly, expiresAt }: ApiKey, text: string, databaseUrl: string): string {
  const location = parseDatabaseUrl(databaseUrl);
  // An address may contain a password.
  const where = 'path' in location ? location.path : 'the database';
  const rights = isReadOnly ? ', read-only' : '';
  const until = expiresAt ? `, valid until ${expiresAt.toISOString()}` : '';
  return `Key ${id} (${visible(name)}) of ${visible(where)}${rights}${until}. It is shown only this once:\n\n  ${text}\n`;
}

async function withKeys<Result>(
  databaseUrl: string,
  use: (store: ApiKeyStore) => Result | Promise<Result>,
): Promise<Result> {
  const stores = await openStores(databaseUrl, storeOptions(databaseUrl));
  try {
    return await use(stores.keys);
  } finally {
    await stores.close();
  }
}

/** A key as JSON shows it. */
export function shownKey(key: ApiKey, now: Date) {
  return {
    id: key.id,
    name: key.name,
    key: describeKey(key.lastFour),
    state: isUsable(key, now.getTime()) ? 'active' : key.revokedAt ? 'revoked' : 'expired',
    readOnly: key.isReadOnly,
    createdAt: key.createdAt.toISOString(),
    expiresAt: key.expiresAt?.toISOString() ?? null,
    revokedAt: key.revokedAt?.toISOString() ?? null,
    replacedBy: key.replacedBy ?? null,
    lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
  };
}

export type ShownKey = ReturnType<typeof shownKey>;

const headings = ['ID', 'NAME', 'KEY', 'RIGHTS', 'STATE', 'CREATED (UTC)', 'EXPIRES', 'LAST USED'];

function cellsOf(shown: ShownKey): string[] {
  const { id, name, key, readOnly, state, createdAt, expiresAt, replacedBy, lastUsedAt } = shown;
  const minutes = [createdAt, expiresAt, lastUsedAt].map(
    (time) => time?.slice(0, 16).replace('T', ' ') ?? '-',
  );
  const successor = replacedBy === null ? '' : `, replaced by ${replacedBy}`;
  return [id, name, key, readOnly ? 'read' : 'all', `${state}${successor}`, ...minutes];
}
