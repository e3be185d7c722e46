import { crc32 } from 'node:zlib';
import { hash, randomInt } from 'node:crypto';
import { timeField, toMs, type TableForm } from './table.ts';

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
  createdAt: Date;
  expiresAt?: Date;
  revokedAt?: Date;
  /** The id of the key that replaced this one in a rotation. */
  replacedBy?: string;
  /** Coarse: written at most every five minutes. */
  lastUsedAt?: Date;
}

export type KeyRow = Record<'id' | 'name' | 'hash' | 'last_four' | 'created_at', string> &
  Record<'replaced_by' | 'expires_at' | 'revoked_at' | 'last_used_at', string | null> & {
    /** A number in SQLite. */
    read_only: boolean | number;
  };

export const keyTable: TableForm<ApiKey, KeyRow> = {
  name: 'api_keys',
  columns: {
    id: 'bigint',
    name: 'text',
    hash: 'text',
    last_four: 'text',
    read_only: 'boolean',
    replaced_by: 'bigint',
    created_at: 'bigint',
    expires_at: 'bigint',
    revoked_at: 'bigint',
    last_used_at: 'bigint',
  },
  keyLength: 1,
  valuesOf: ({ id, name, hash: keyHash, lastFour, isReadOnly, replacedBy = null, ...times }) => [
    ...[id, name, keyHash, lastFour, isReadOnly, replacedBy],
    ...[times.createdAt, times.expiresAt, times.revokedAt, times.lastUsedAt].map(toMs),
  ],
  parse: (row) => ({
    id: row.id,
    name: row.name,
    hash: row.hash,
    lastFour: row.last_four,
    isReadOnly: Boolean(row.read_only),
    createdAt: new Date(Number(row.created_at)),
    ...timeField('expiresAt', row.expires_at),
    ...timeField('revokedAt', row.revoked_at),
    ...(row.replaced_by !== null && { replacedBy: row.replaced_by }),
    ...timeField('lastUsedAt', row.last_used_at),
  }),
};

/** Keeps the API keys. Every method fails with `unavailable` while the store cannot be used. */
export interface ApiKeyStore {
  /**
   * The key with this hash, if it is usable now. Revoked, expired and unknown keys take equally long to look up, so
   * response times reveal nothing. SQLite sees every change made before the call; PostgreSQL may lag by one second.
   */
  findKey(hash: string): ApiKey | undefined | Promise<ApiKey | undefined>;

  /** All keys, oldest first. */
  listKeys(): ApiKey[] | Promise<ApiKey[]>;

  createKey(key: Omit<ApiKey, 'id' | 'revokedAt' | 'replacedBy' | 'lastUsedAt'>): Promise<ApiKey>;

  /** Returns the revoked key, or undefined if no key has this id. A second revocation changes nothing. */
  revokeKey(id: string, revokedAt: Date): Promise<ApiKey | undefined>;

  /**
   * Expires a key because another replaces it, if it is usable at `now` and not replaced yet. The expiry never moves
   * later. Returns the key's new state, or undefined if no key has this id.
   */
  replaceKey(id: string, replacement: Replacement): Promise<ApiKey | undefined>;

  recordUse(id: string, usedAt: Date): Promise<void>;
}

export interface Replacement {
  replacedBy: string;
  expiresAt: Date;
  now: Date;
}

interface NewKey {
  name: string;
  now: Date;
  expiresAt?: Date | undefined;
  isReadOnly?: boolean;
}

export interface IssuedKey {
  key: ApiKey;
  /** The key itself, shown only once. */
  text: string;
}

/** Creates a key and stores its hash. Only the caller gets the text. */
export async function issueKey(
  store: ApiKeyStore,
  { name, now, expiresAt, isReadOnly = false }: NewKey,
): Promise<IssuedKey> {
  const text = generateKey();
  const key = await store.createKey({
    name,
    hash: hashKey(text),
    lastFour: text.slice(-4),
    isReadOnly,
    createdAt: now,
    ...(expiresAt && { expiresAt }),
  });
  return { key, text };
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
