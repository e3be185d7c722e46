import { generateKey, hashKey, isUsable, type ApiKey } from '../domain/api-key.ts';
import { OperatorError } from '../domain/error.ts';
import type { ApiKeyStore } from './store.ts';

interface NewKey {
  name: string;
  now: Date;
  expiresAt?: Date | undefined;
  isReadOnly?: boolean;
  mayDelete?: boolean;
}

export interface IssuedKey {
  key: ApiKey;
  /** The key itself, shown only once. */
  text: string;
}

/** Creates a key and stores its hash. Only the caller gets the text. */
export async function issueKey(
  store: ApiKeyStore,
  { name, now, expiresAt, isReadOnly = false, mayDelete = true }: NewKey,
): Promise<IssuedKey> {
  const text = generateKey();
  const key = await store.createKey({
    name,
    hash: hashKey(text),
    lastFour: text.slice(-4),
    isReadOnly,
    mayDelete: mayDelete && !isReadOnly,
    createdAt: now,
    ...(expiresAt && { expiresAt }),
  });
  return { key, text };
}

export interface Rotation {
  now: Date;
  /** How long the old key may still be used. */
  overlapMs: number;
  /** When the new key expires. By default, it lives as long as the old one was meant to. */
  expiresAt?: Date | undefined;
  /** Hands the new key over before the old one changes. `old` is as it will be then. */
  deliver: (made: IssuedKey & { old: ApiKey }) => Promise<void>;
}

/** Creates a key with the name and rights of an old one, and lets the old one expire after the overlap. */
export async function rotateKey(
  store: ApiKeyStore,
  /** The id or the name of the old key. */
  given: string,
  { now, overlapMs, expiresAt, deliver }: Rotation,
): Promise<Record<'key' | 'old', ApiKey>> {
  const old = pickKey(await store.listKeys(), given, now);
  refuseRotation(old, now);
  const { key, text } = await issueKey(store, {
    ...old,
    now,
    expiresAt: expiresAt ?? sameLifetime(old, now),
  });
  const oldExpiryMs = Math.min(now.getTime() + overlapMs, old.expiresAt?.getTime() ?? Infinity);
  const planned = { ...old, replacedBy: key.id, expiresAt: new Date(oldExpiryMs) };
  // Hand the new key over first: neither a crash nor a full disk may leave an expiring key without a known successor.
  await deliver({ key, text, old: planned });
  const replaced = await store.replaceKey(old.id, { ...planned, now });
  if (replaced?.replacedBy === key.id) return { key, old: replaced };
  await store.revokeKey(key.id, new Date());
  throw new OperatorError(
    `Key ${old.id} was changed by another command meanwhile, so key ${key.id} was revoked.`,
    'See: petstore keys list',
  );
}

/** The key with this id, or else the one with this name. A usable key comes before those that are not. */
export function pickKey(keys: readonly ApiKey[], given: string, now: Date): ApiKey {
  const byId = keys.find(({ id }) => id === given);
  if (byId) return byId;
  const named = keys.filter(({ name }) => name === given);
  const usable = named.filter((key) => isUsable(key, now.getTime()));
  const [key, ...others] = usable.length > 0 ? usable : named;
  if (!key) throw unknownKey(given);
  if (others.length === 0) return key;
  const ids = [key, ...others].map(({ id }) => id).join(', ');
  throw new OperatorError(`Several keys have the name "${given}": ${ids}.`, 'Give the id of one of them.');
}

export function unknownKey(given: string): OperatorError {
  return new OperatorError(`No key has the id or the name "${given}".`, 'See: petstore keys list');
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
