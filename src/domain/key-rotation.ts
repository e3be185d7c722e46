import { isUsable, issueKey, type ApiKey, type ApiKeyStore, type IssuedKey } from './api-key.ts';
import { OperatorError } from './error.ts';

export interface Rotation {
  now: Date;
  /** How long the old key may still be used. */
  overlapMs: number;
  /** When the new key expires. By default, it lives as long as the old one was meant to. */
  expiresAt?: Date | undefined;
  /** Shows the new key before the old one changes. */
  show: (made: Successor) => Promise<void>;
}

interface Successor extends IssuedKey {
  /** The old key as it will be after the rotation. */
  old: ApiKey;
}

/** Creates a key with the name and rights of an old one, and lets the old one expire after the overlap. */
export async function rotateKey(
  store: ApiKeyStore,
  id: string,
  { now, overlapMs, expiresAt, show }: Rotation,
): Promise<Record<'key' | 'old', ApiKey>> {
  const old = (await store.listKeys()).find((key) => key.id === id) ?? refuseUnknown(id);
  refuseRotation(old, now);
  const { key, text } = await issueKey(store, {
    name: old.name,
    isReadOnly: old.isReadOnly,
    now,
    expiresAt: expiresAt ?? sameLifetime(old, now),
  });
  const oldExpiryMs = Math.min(now.getTime() + overlapMs, old.expiresAt?.getTime() ?? Infinity);
  const planned = { ...old, replacedBy: key.id, expiresAt: new Date(oldExpiryMs) };
  // Show the new key first: neither a crash nor a full disk may leave an expiring key without a known successor.
  await showOrWithdraw(store, key, () => show({ key, text, old: planned }));
  const replaced = await store.replaceKey(id, { ...planned, now }).catch(() => {
    // The replacement may be committed all the same, so the new key stays valid.
    throw new OperatorError(
      `Key ${key.id} is valid, but it is not known whether it replaces key ${id}.`,
      'See: petstore keys list',
    );
  });
  if (replaced?.replacedBy === key.id) return { key, old: replaced };
  throw await withdraw(store, key, `Key ${id} was changed by another command meanwhile`);
}

/** Shows a new key. If that fails, revokes it, because nobody would know it. */
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

function refuseRotation(key: ApiKey, now: Date): void {
  if (key.replacedBy !== undefined) {
    throw new OperatorError(
      `Key ${key.id} was rotated before: key ${key.replacedBy} takes its place.`,
      'If that key was lost, create another: petstore keys create --name NAME',
    );
  }
  if (isUsable(key, now.getTime())) return;
  throw new OperatorError(
    `Key ${key.id} ${key.revokedAt ? 'is revoked' : 'has expired'} and cannot be rotated.`,
    'Create another: petstore keys create --name NAME',
  );
}

function sameLifetime({ createdAt, expiresAt }: ApiKey, now: Date): Date | undefined {
  return expiresAt && new Date(now.getTime() + expiresAt.getTime() - createdAt.getTime());
}
