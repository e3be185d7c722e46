import { hashKey, isUsable, isWellFormedKey, type ApiKey, type ApiKeyStore } from '../api-key.ts';
import { PetstoreError } from '../error.ts';
import { describeError, type Log } from '../log.ts';

/** The hash of the API key that a request carried: who the caller is, without the secret. */
export type Caller = string;

export type Authenticate = (request: Request) => Caller | Promise<Caller>;

export interface AuthenticationOptions {
  keys: ApiKeyStore;
  /** Hashes of the keys that the configuration adds to those of the store. */
  fixedKeys: ReadonlySet<string>;
  log: Log;
  now: () => number;
}

/** One token after the scheme, whose case does not matter. Two headers arrive joined by ", " and do not match. */
const bearer = /^bearer +([!-~]+)$/i;
const useIsRecordedEveryMs = 60 * 60 * 1000;
/** More keys than are in use at a time; past it, they are hashed anew. */
const maxKnownCredentials = 1000;

/** Checks a request's credential; fails with `unauthorized` when it has none, `invalid_api_key` when it is wrong. */
export function createAuthentication(options: AuthenticationOptions): Authenticate {
  const { keys, fixedKeys, now } = options;
  const recordUse = createUseRecorder(options);

  // The hashes of accepted credentials, by the header that carried them: to hash one again costs 0.6 µs. A refused one
  // is forgotten, so that its answers take as long as those of an unknown one.
  const knownHashes = new Map<string, string>();

  const remember = (header: string, hash: string): Caller => {
    if (knownHashes.has(header)) return hash;
    if (knownHashes.size >= maxKnownCredentials) knownHashes.clear();
    knownHashes.set(header, hash);
    return hash;
  };

  const accept = (header: string, hash: string, key: ApiKey | undefined): Caller => {
    if (!key || !isUsable(key, now)) {
      knownHashes.delete(header);
      throw invalidKey();
    }
    recordUse(key);
    return remember(header, hash);
  };

  return (request) => {
    const header = request.headers.get('Authorization') ?? '';
    const hash = knownHashes.get(header) ?? hashOfCredential(header, fixedKeys);
    if (fixedKeys.has(hash)) return remember(header, hash);
    const key = keys.findKey(hash);
    return key instanceof Promise
      ? key.then((found) => accept(header, hash, found))
      : accept(header, hash, key);
  };
}

function hashOfCredential(header: string, fixedKeys: ReadonlySet<string>): string {
  const token = bearer.exec(header)?.[1];
  if (token === undefined) {
    throw new PetstoreError(
      'unauthorized',
      'An API key is needed: send it once as "Authorization: Bearer <API_KEY>".',
    );
  }
  const hash = hashKey(token);
  // Keys of the configuration may have any form.
  if (!fixedKeys.has(hash) && !isWellFormedKey(token)) throw invalidKey();
  return hash;
}

/** The credential of a request, if it has one, valid or not. */
export function bearerToken(request: Request): string | undefined {
  return bearer.exec(request.headers.get('Authorization') ?? '')?.[1];
}

function invalidKey(): PetstoreError {
  return new PetstoreError('invalid_api_key', 'This API key is unknown, expired or revoked.');
}

/** Keeps the coarse last-used time without making the request wait for it or fail with it. */
function createUseRecorder({ keys, log, now }: AuthenticationOptions): (key: ApiKey) => void {
  const attemptedAt = new Map<string, number>();
  return ({ id, lastUsedAt }) => {
    const time = now();
    const last = Math.max(lastUsedAt?.getTime() ?? 0, attemptedAt.get(id) ?? 0);
    if (time - last < useIsRecordedEveryMs) return;
    attemptedAt.set(id, time);
    keys.recordUse(id, new Date(time)).catch((error: unknown) => {
      log.warn('A key’s last use could not be recorded.', { key: id, error: describeError(error) });
    });
  };
}
