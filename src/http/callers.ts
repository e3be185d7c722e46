import { type ApiKey, hashKey, isUsable, isWellFormedKey } from '../domain/api-key.ts';
import type { ApiKeyStore } from '../stores/store.ts';
import { PetstoreError } from '../domain/error.ts';
import { type Log, reasonOf } from '../system/log.ts';
import { andThen, type MaybePromise } from './response.ts';

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

/** The credential of a request, valid or not. */
export function bearerToken(request: Request): string | undefined {
  return bearer.exec(request.headers.get('Authorization') ?? '')?.[1];
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

/** A caller's remaining requests, in the headers of `draft-ietf-httpapi-ratelimit-headers`. */
export interface Quota {
  isExceeded: boolean;
  headers: Record<string, string>;
}

/** Counts one request of the caller with this hash. */
export type RateLimit = (caller: string) => Quota;

const windowSeconds = 60;

/** Counts the requests of each key in windows of one minute. A window starts with a request. */
export function createRateLimit(rateLimit: number, now: () => number): RateLimit {
  // Only valid keys get this far, so there is at most one entry per key.
  const windows = new Map<string, { endsAt: number; remaining: number }>();
  const policy = `"default";q=${rateLimit};w=${windowSeconds}`;

  return (caller) => {
    const time = now();
    let window = windows.get(caller);
    // A window that ends too far ahead was opened before the clock was set back.
    if (!window || window.endsAt <= time || window.endsAt > time + windowSeconds * 1000) {
      window = { endsAt: time + windowSeconds * 1000, remaining: rateLimit };
      windows.set(caller, window);
    }
    const isExceeded = window.remaining === 0;
    if (!isExceeded) window.remaining -= 1;
    const secondsLeft = Math.ceil((window.endsAt - time) / 1000);
    return {
      isExceeded,
      headers: {
        'RateLimit-Policy': policy,
        RateLimit: `"default";r=${window.remaining};t=${secondsLeft}`,
        ...(isExceeded && { 'Retry-After': String(secondsLeft) }),
      },
    };
  };
}

/** Adds the headers that let a browser page from another origin read the response. */
export type AddCorsHeaders = (headers: Headers, request: Request) => void;

const readableHeaders =
  'Link, Location, ETag, Deprecation, Sunset, Idempotent-Replayed, Retry-After, X-Request-Id, Allow, RateLimit, RateLimit-Policy';
const sendableHeaders = 'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-Request-Id';
const stability = 'Petstore-Stability';

/** Allows pages from these origins, or from every origin with `*`. Undefined if the list is empty. */
export function createCors(
  allowedOrigins: readonly string[],
  stableOnly: boolean,
): AddCorsHeaders | undefined {
  if (allowedOrigins.length === 0) return undefined;
  const methods = stableOnly ? 'GET, HEAD, POST' : 'GET, HEAD, POST, PUT, PATCH, DELETE';
  const isAllowed = (origin: string) => allowedOrigins.includes('*') || allowedOrigins.includes(origin);
  return (headers, request) => {
    // Without Vary, a cache could serve one origin the response made for another.
    headers.append('Vary', 'Origin');
    const origin = request.headers.get('Origin');
    if (origin === null || !isAllowed(origin)) return;
    headers.set('Access-Control-Allow-Origin', origin);
    headers.set(
      'Access-Control-Expose-Headers',
      headers.has(stability) ? `${readableHeaders}, ${stability}` : readableHeaders,
    );
    if (request.method !== 'OPTIONS' || !request.headers.has('Access-Control-Request-Method')) return;
    headers.set('Access-Control-Allow-Methods', methods);
    headers.set('Access-Control-Allow-Headers', sendableHeaders);
    headers.set('Access-Control-Max-Age', '600');
  };
}
