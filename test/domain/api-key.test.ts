import { describe, expect, it } from 'bun:test';
import { crc32 } from 'node:zlib';
import {
  describeKey,
  endOf,
  generateKey,
  isKeyName,
  isUsable,
  isWellFormedKey,
  keyLike,
  redactKeys,
  stateOf,
} from '../../src/domain/api-key.ts';

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

describe('generateKey', () => {
  it('returns pets_, 30 random characters and 6 characters of CRC-32 over both', () => {
    const key = generateKey();
    expect(key).toMatch(/^pets_[0-9A-Za-z]{36}$/);
    const checksum = Array.from(key.slice(-6)).reduce((sum, digit) => sum * 62 + base62.indexOf(digit), 0);
    expect(checksum).toBe(crc32(key.slice(0, -6)));
  });
});

describe('isKeyName', () => {
  it.each(['till-1', ' a ', '犬', 'x'.repeat(100), '🐈'.repeat(100), '👩‍👧'])('accepts %j', (name) => {
    expect(isKeyName(name)).toBe(true);
  });

  it.each(
    [
      ['', ' ', '\u00a0\u3000', 'x'.repeat(101), '🐈'.repeat(101)],
      ['a\nb', 'a\tb', '\0', '\x1b[31m', '\x7f', '\x85', '\u2028', '\u202egnp', '\u2066', '\ud83d'],
    ].flat(),
  )('refuses %j', (name) => {
    expect(isKeyName(name)).toBe(false);
  });
});

describe('isWellFormedKey', () => {
  const key = generateKey();

  it('refuses every single changed character', () => {
    for (let place = 0; place < key.length; place++) {
      const other = key[place] === 'a' ? 'b' : 'a';
      expect(isWellFormedKey(key.slice(0, place) + other + key.slice(place + 1))).toBe(false);
    }
  });

  it('refuses two swapped neighbours', () => {
    for (let place = 5; place < key.length - 1; place++) {
      const swapped = key.slice(0, place) + key[place + 1] + key[place] + key.slice(place + 2);
      if (swapped !== key) expect(isWellFormedKey(swapped)).toBe(false);
    }
  });

  it('refuses another length or prefix, or a line end', () => {
    const wrong = ['', 'pets_', key.slice(0, -1), `${key}0`, `${key}\n`, ` ${key}`, key.toUpperCase()];
    for (const text of [...wrong, key.replace('pets_', 'cats_')]) expect(isWellFormedKey(text)).toBe(false);
  });
});

describe('the end of a key', () => {
  const at = (ms: number) => new Date(ms);

  it.each([
    ['none', {}, undefined, 'active', 'active'],
    ['expiry alone', { expiresAt: at(5) }, 5, 'active', 'expired'],
    ['revocation alone', { revokedAt: at(5) }, 5, 'active', 'revoked'],
    ['expiry first', { expiresAt: at(5), revokedAt: at(9) }, 5, 'active', 'expired'],
    ['revocation first', { expiresAt: at(9), revokedAt: at(5) }, 5, 'active', 'revoked'],
  ])('is its expiry or its revocation, whichever comes first: %s', (_case, key, end, before, after) => {
    expect(endOf(key)?.getTime()).toBe(end);
    expect([stateOf(key, 4), stateOf(key, 5)]).toEqual([before, after] as never);
    expect([isUsable(key, 4), isUsable(key, 5)]).toEqual([true, after === 'active']);
  });
});

describe('keyLike', () => {
  const till = { id: '1', name: 'till', hash: '', lastFour: '', isReadOnly: false, mayDelete: false };
  const now = new Date(1000);

  it('takes over the name, the rights and the lifetime', () => {
    const old = { ...till, createdAt: new Date(100), expiresAt: new Date(150), revokedAt: new Date(120) };
    const made = { name: 'till', isReadOnly: false, mayDelete: false, now };
    expect(keyLike(old, now)).toEqual({ ...made, expiresAt: new Date(1050) });
    expect(keyLike({ ...till, createdAt: new Date(100) }, now)).toEqual({ ...made, expiresAt: undefined });
  });
});

describe('redactKeys', () => {
  it('leaves only the prefix and the last four characters of a key', () => {
    const [one, two] = [generateKey(), generateKey()];
    const text = redactKeys(`first ${one}, then "${two}".`);
    expect(text).toBe(`first ${describeKey(one.slice(-4))}, then "${describeKey(two.slice(-4))}".`);
    expect(text).not.toContain(one.slice(5, 15));
  });

  it('hides a key with a typo, and a key with something attached', () => {
    const key = generateKey();
    for (const spoilt of [key.slice(0, -1), `${key}XYZ`, `_${key}_`]) {
      expect(redactKeys(spoilt)).not.toContain(key.slice(5, 15));
    }
  });

  it('hides a key that was pasted twice', () => {
    const key = generateKey();
    expect(redactKeys(key + key)).not.toContain(key.slice(5, 15));
  });

  it('leaves other text alone', () => {
    expect(redactKeys('the table pets_by_status of pets_ 7')).toBe('the table pets_by_status of pets_ 7');
  });
});
