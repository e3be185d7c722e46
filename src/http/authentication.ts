import { type ApiKey, hashKey, isUsable, isWellFormedKey } from '../domain/api-key.ts';
import type { ApiKeyStore } from '../stores/store.ts';
import { PetstoreError } from '../domain/error.ts';
import { type Log, reasonOf } from '../system/log.ts';
import { andThen, type MaybePromise } from '../system/maybe-promise.ts';

/**
 * The owner of a request's API key. The hash identifies the caller without the secret. A key from API_KEYS has no
 * createdAt or expiresAt.
 */
export type Caller = Pick<ApiKey, 'hash' | 'name' | 'isReadOnly' | 'mayDelete'> &
  Partial<Pick<ApiKey, 'id' | 'createdAt' | 'expiresAt' | 'revokedAt'>>;

export type Authenticate = (request: Request) => MaybePromise<Caller>;

/** The scheme's case does not matter. Two headers arrive joined by ", " and do not match. */
const bearer = /^bearer +([!-~]+)$/i;
const useIsRecordedEveryMs = 5 * 60 * 1000;
/** More keys than are usually in use. Beyond this, all of them are forgotten and hashed again. */
const maxKnownCredentials = 1000;

/** Checks a request's credential. Fails with `unauthorized` if it is missing and `invalid_api_key` if it is wrong. */
export function createAuthentication(
  keys: ApiKeyStore,
  /** Accepted besides the keys in the store. */
  apiKeys: readonly string[],
  log: Log,
  now: () => number,
): Authenticate {
  const recordUse = createUseRecorder(keys, log);
  const fixedCallers = new Map(
    apiKeys
      .map(hashKey)
      .map((hash) => [hash, { hash, name: 'API_KEYS', isReadOnly: false, mayDelete: true }]),
  );

  // Hashes of accepted credentials by header value, so that a request need not hash its key again. A refused credential
  // is forgotten, so that it takes as long as an unknown one.
  const knownHashes = new Map<string, string>();

  const remember = (header: string, caller: Caller): Caller => {
    if (knownHashes.has(header)) return caller;
    if (knownHashes.size >= maxKnownCredentials) knownHashes.clear();
    knownHashes.set(header, caller.hash);
    return caller;
  };

  const accept = (header: string, key: ApiKey | undefined): Caller => {
    const time = now();
    if (!key || !isUsable(key, time)) {
      knownHashes.delete(header);
      throw invalidKey();
    }
    recordUse(key, time);
    return remember(header, key);
  };

  return (request) => {
    const header = request.headers.get('Authorization') ?? '';
    const hash = knownHashes.get(header) ?? hashOfCredential(header, fixedCallers);
    const fixed = fixedCallers.get(hash);
    if (fixed) return remember(header, fixed);
    return andThen(keys.findKey(hash), (key) => accept(header, key));
  };
}

function hashOfCredential(header: string, fixedCallers: ReadonlyMap<string, Caller>): string {
  const token = bearer.exec(header)?.[1];
  if (token === undefined) {
    throw new PetstoreError(
      'unauthorized',
      'An API key is needed: send it once as "Authorization: Bearer <API_KEY>".',
    );
  }
  const hash = hashKey(token);
  // Keys from API_KEYS may have any form.
  if (!fixedCallers.has(hash) && !isWellFormedKey(token)) throw invalidKey();
  return hash;
}

function invalidKey(): PetstoreError {
  return new PetstoreError('invalid_api_key', 'This API key is unknown, expired or revoked.');
}

/** Records the coarse last-used time. The request does not wait for it and cannot fail because of it. */
function createUseRecorder(keys: ApiKeyStore, log: Log): (key: ApiKey, time: number) => void {
  const attemptedAt = new Map<string, number>();
  return ({ id, name, lastUsedAt }, time) => {
    const last = Math.max(lastUsedAt?.getTime() ?? 0, attemptedAt.get(id) ?? 0);
    if (time - last < useIsRecordedEveryMs) return;
    attemptedAt.set(id, time);
    keys.recordUse(id, new Date(time)).catch((error: unknown) => {
      log.warn('A key’s last use could not be recorded.', { key: name, reason: reasonOf(error) });
    });
  };
}
