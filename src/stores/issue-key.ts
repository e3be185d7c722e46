import { type ApiKey, generateKey, hashKey, type NewKey } from '../domain/api-key.ts';
import type { ApiKeyStore } from './store.ts';

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
