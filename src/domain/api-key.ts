import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const prefix = 'pets_';
const randomLength = 30;
const checksumLength = 6;
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const form = new RegExp(`^${prefix}[0-9A-Za-z]{${randomLength + checksumLength}}$`);

/** What the store keeps of an API key. The key itself is shown once, at creation, and never stored. */
export interface ApiKey {
  id: string;
  name: string;
  /** SHA-256 of the whole key, in hex. */
  hash: string;
  lastFour: string;
  /** A read-only key may list and fetch; every change is `forbidden`. */
  isReadOnly: boolean;
  /** False for a key made with `--no-delete`, and for every read-only key. */
  mayDelete: boolean;
  createdAt: Date;
  expiresAt?: Date;
  /** The key is refused from this time on. It may lie in the future, and can only move to an earlier time. */
  revokedAt?: Date;
  /** Coarse: written at most every five minutes. */
  lastUsedAt?: Date;
}

/** Excludes line ends and the controls of terminals and text direction: a name is shown in tables and logs. */
const nameForm = /^(?=.*\S)[^\p{Cc}\p{Cs}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]{1,100}$/u;

export function isKeyName(text: string): boolean {
  return nameForm.test(text);
}

/** A new key: `pets_`, 30 random characters, 6 checksum characters. */
export function generateKey(): string {
  const random = Array.from({ length: randomLength }, () => alphabet[randomInt(alphabet.length)]);
  const text = prefix + random.join('');
  return text + checksum(text);
}

/** Whether a key could have been issued. Rejects typos and most guesses without asking the store. */
export function isWellFormedKey(key: string): boolean {
  return form.test(key) && checksum(key.slice(0, -checksumLength)) === key.slice(-checksumLength);
}

export function hashKey(key: string): string {
  return hash('sha256', key, 'hex');
}

/** A key in a form that is safe to display: its prefix and last four characters. */
export function describeKey(lastFour: string): string {
  return `${prefix}…${lastFour}`;
}

/** Masks everything that looks like an API key, so that none reaches a log through a path or an error. */
export function redactKeys(text: string): string {
  return text.replace(/pets_[0-9A-Za-z_]{32,}/g, (key) => describeKey(key.slice(-4)));
}

export type KeyState = 'active' | 'revoked' | 'expired';

/** `now` is in milliseconds, like `Date.now()`. */
export function stateOf({ revokedAt, expiresAt }: KeyEnd, now: number): KeyState {
  if (revokedAt && revokedAt.getTime() <= now) return 'revoked';
  return expiresAt && expiresAt.getTime() <= now ? 'expired' : 'active';
}

export function isUsable(key: KeyEnd, now: number): boolean {
  return stateOf(key, now) === 'active';
}

/** When a key ends: when it expires or is revoked, whichever comes first. Undefined if neither is known. */
export function endOf({ revokedAt, expiresAt }: KeyEnd): Date | undefined {
  return revokedAt && expiresAt && expiresAt < revokedAt ? expiresAt : (revokedAt ?? expiresAt);
}

type KeyEnd = Pick<ApiKey, 'revokedAt' | 'expiresAt'>;

/** A new key with the name, the rights and the lifetime of another. */
export function keyLike({ name, isReadOnly, mayDelete, createdAt, expiresAt }: ApiKey, now: Date): NewKey {
  const lifetimeMs = expiresAt && expiresAt.getTime() - createdAt.getTime();
  const end = lifetimeMs === undefined ? undefined : new Date(now.getTime() + lifetimeMs);
  return { name, isReadOnly, mayDelete, now, expiresAt: end };
}

/** What is known of a key before it is made. */
export interface NewKey {
  name: string;
  now: Date;
  expiresAt?: Date | undefined;
  isReadOnly?: boolean;
  mayDelete?: boolean;
}

/** The key, refused from this time on. A revocation never moves to a later time. */
export function revoke(key: ApiKey, revokedAt: Date): ApiKey {
  return key.revokedAt && key.revokedAt <= revokedAt ? key : { ...key, revokedAt };
}

/** The key, used at this time or later. */
export function noteUse(key: ApiKey, usedAt: Date): ApiKey {
  return key.lastUsedAt && key.lastUsedAt >= usedAt ? key : { ...key, lastUsedAt: usedAt };
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let index = 0; index < checksumLength; index++) {
    digits = `${alphabet[rest % 62]}${digits}`;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
