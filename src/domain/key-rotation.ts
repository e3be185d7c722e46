import { isUsable, issueKey, type ApiKey, type ApiKeyStore, type IssuedKey } from './api-key.ts';
import { OperatorError } from './error.ts';

export interface Rotation {
  now: Date;
  /** How long the old key may still be used. */
  overlapMs: number;
  /** When the new key expires. By default, it expires when the old one was due to. */
  expiresAt?: Date | undefined;
  /** Shows the new key before the old one changes. */
  show: (made: Successor) => Promise<void>;
}

interface Successor extends IssuedKey {
  /** The old key as it will be after the rotation. */
  old: ApiKey;
}

interface RotatedKey {
  key: ApiKey;
  /** The old key, which now expires, unless `doubt` is set. */
  old: ApiKey;
  /** Why it is unknown whether the old key was replaced. */
  doubt?: Error;
}

/** Creates a key with the name and rights of an old one, and lets the old one expire after the overlap. */
export async function rotateKey(
  store: ApiKeyStore,
  id: string,
  { now, overlapMs, expiresAt, show }: Rotation,
): Promise<RotatedKey> {
  const all = await store.listKeys();
  const old = all.find((key) => key.id === id) ?? refuseUnknown(id);
  const newest = newestOf(old, all);
  refuseRotation(old, newest, now);
  const { key, text } = await issueKey(store, {
    name: old.name,
    isReadOnly: old.isReadOnly,
    now,
    expiresAt: expiresAt ?? sameLifetime(newest, now),
  });
  const oldExpiryMs = Math.min(now.getTime() + overlapMs, old.expiresAt?.getTime() ?? Infinity);
  const planned = { ...old, replacedBy: key.id, expiresAt: new Date(oldExpiryMs) };
  // Show the new key first: neither a crash nor a full disk may leave an expiring key without a known successor.
  await showOrWithdraw(store, key, () => show({ key, text, old: planned }));
  let found: ApiKey | undefined;
  try {
    found = await store.replaceKey(id, { ...planned, previous: old.replacedBy, now });
  } catch (error) {
    // The replacement may already be committed or still in flight, so keep the new key: it may be the only one that
    // lasts.
    found = await readAgain(store, id);
    if (!found || found.replacedBy === old.replacedBy)
      return { key, old: found ?? old, doubt: error as Error };
  }
  if (found?.replacedBy === key.id) return { key, old: found };
  throw await withdraw(store, key, `Key ${id} was changed by another command meanwhile`);
}

/** Shows a new key, and revokes it if that fails, because nobody could use it. */
export async function showOrWithdraw(
  store: ApiKeyStore,
  key: ApiKey,
  show: () => Promise<void>,
): Promise<void> {
  try {
    await show();
  } catch (error) {
    throw await withdraw(store, key, `The new key could not be shown (${(error as Error).message})`);
  }
}

/** Revokes a new key and returns an error with the reason. */
async function withdraw(store: ApiKeyStore, { id }: ApiKey, reason: string): Promise<OperatorError> {
  try {
    await store.revokeKey(id, new Date());
    return new OperatorError(`${reason}, so key ${id} was revoked.`, 'Nothing else was changed.');
  } catch {
    return new OperatorError(
      `${reason}, but key ${id} may still be valid.`,
      `Run: petstore keys revoke ${id}`,
    );
  }
}

export function refuseUnknown(id: string): never {
  throw new OperatorError(`No key has the id "${id}".`, 'See: petstore keys list');
}

/** The last key in a chain of replacements, or the key itself. */
function newestOf(key: ApiKey, all: ApiKey[]): ApiKey {
  const next = all.find(({ id }) => id === key.replacedBy);
  return next ? newestOf(next, all) : key;
}

function refuseRotation(old: ApiKey, newest: ApiKey, now: Date): void {
  if (newest !== old && isUsable(newest, now.getTime())) {
    throw new OperatorError(
      `Key ${old.id} was rotated before: key ${newest.id} takes its place.`,
      `If that key was lost, revoke it and rotate again: petstore keys revoke ${newest.id}`,
    );
  }
  if (isUsable(old, now.getTime())) return;
  throw new OperatorError(
    `Key ${old.id} ${old.revokedAt ? 'is revoked' : 'has expired'} and cannot be rotated.`,
    'Create another: petstore keys create --name NAME',
  );
}

function sameLifetime({ createdAt, expiresAt }: ApiKey, now: Date): Date | undefined {
  return expiresAt && new Date(now.getTime() + expiresAt.getTime() - createdAt.getTime());
}

async function readAgain(store: ApiKeyStore, id: string): Promise<ApiKey | undefined> {
  try {
    return (await store.listKeys()).find((key) => key.id === id);
  } catch {
    return undefined;
  }
}
