import { type ApiKey, hashKey, isWellFormedKey } from '../domain/api-key.ts';
import type { ApiKeyStore } from '../stores/store.ts';
import { PetstoreError } from '../domain/error.ts';
import { type Log, reasonOf } from '../system/log.ts';
import { andThen, type MaybePromise } from '../system/maybe-promise.ts';

/**
 * The owner of a request's API key. The hash identifies the caller without the secret. A key from API_KEYS has no
 * createdAt or expiresAt.
 */
export type Caller = Pick<ApiKey, 'hash' | 'name' | 'isReadOnly' | 'mayDelete'> &
  Partial<Pick<ApiKey, 'id' | 'createdAt' | 'expiresAt' | 'revokedAt' | 'lastUsedAt'>>;

export type Authenticate = (request: Request) => MaybePromise<Caller>;
/** Finds the owner of an `Authorization` header. Fails with `unauthorized` or `invalid_api_key` if there is none. */
export type FindCaller = (header: string) => MaybePromise<Caller>;

/** The scheme's case does not matter. Two headers arrive joined by ", " and do not match. */
const bearer = /^bearer +([!-~]+)$/i;
const useIsRecordedEveryMs = 5 * 60 * 1000;

/** Checks a request's credential. Fails with `unauthorized` if it is missing and `invalid_api_key` if it is wrong. */
export function createAuthentication(
  keys: ApiKeyStore,
  /** Accepted besides the keys in the store. */
  apiKeys: readonly string[],
  { log, now, remember }: { log: Log; now: () => number; remember: (find: FindCaller) => FindCaller },
): Authenticate {
  const fixedCallers = new Map(
    apiKeys
      .map(hashKey)
      .map((hash) => [hash, { hash, name: 'API_KEYS', isReadOnly: false, mayDelete: true }]),
  );
  const findCaller = remember((header) => {
    const hash = hashOfCredential(header, fixedCallers);
    const caller: MaybePromise<Caller | undefined> = fixedCallers.get(hash) ?? keys.findKey(hash);
    return andThen(caller, (latest) => {
      if (!latest) throw invalidKey();
      return latest;
    });
  });
  const recordUse = createUseRecorder(keys, log, now);
  return ({ headers }) => andThen(findCaller(headers.get('Authorization') ?? ''), recordUse);
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
function createUseRecorder(keys: ApiKeyStore, log: Log, now: () => number) {
  const attemptedAt = new Map<string, number>();
  return (caller: Caller): Caller => {
    const { id, name, lastUsedAt } = caller;
    if (id === undefined) return caller;
    const time = now();
    const last = Math.max(lastUsedAt?.getTime() ?? 0, attemptedAt.get(id) ?? 0);
    if (time - last < useIsRecordedEveryMs) return caller;
    attemptedAt.set(id, time);
    keys.recordUse(id, new Date(time)).catch((error: unknown) => {
      log.warn('A key’s last use could not be recorded.', { key: name, reason: reasonOf(error) });
    });
    return caller;
  };
}
