import { expect, it } from 'bun:test';
import { createUuid } from '../src/wire/uuid.ts';

it('makes random UUIDs without crypto.randomUUID, which plain HTTP does not have', () => {
  const native = globalThis.crypto;
  const ofPlainHttp = { getRandomValues: (bytes: Uint8Array<ArrayBuffer>) => native.getRandomValues(bytes) };
  Object.defineProperty(globalThis, 'crypto', { value: ofPlainHttp, configurable: true });
  try {
    expect('randomUUID' in crypto).toBe(false);
    const made = Array.from({ length: 1000 }, createUuid);
    for (const uuid of made) {
      expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }
    expect(new Set(made).size).toBe(1000);
  } finally {
    Object.defineProperty(globalThis, 'crypto', { value: native, configurable: true });
  }
});
