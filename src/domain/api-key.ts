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
  revokedAt?: Date;
  /** The id of the key that replaced this one in a rotation. */
  replacedBy?: string;
  /** Coarse: written at most every five minutes. */
  lastUsedAt?: Date;
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

/** `now` is in milliseconds, like `Date.now()`. */
export function isUsable(key: ApiKey, now: number): boolean {
  return key.revokedAt === undefined && (key.expiresAt === undefined || key.expiresAt.getTime() > now);
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
