import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createHash } from 'node:crypto';
import { generateKey } from '../../src/domain/api-key.ts';
import { maxBodyBytes } from '../../src/domain/pet.ts';
import { issueKey } from '../../src/stores/issue-key.ts';
import { addPet, outcomeOf, patch, post, rex } from '../support/http/calls.ts';
import { openService, type Service } from '../support/http/service.ts';
import { makeStorePlace } from '../support/store-place.ts';

/** API keys: what a caller with one key cannot see. The rest are checks of `petstore-conform`. */

let service: Service;
let issuedKey: string;

beforeAll(async () => {
  service = await openService();
  issuedKey = (await issueKey(service.keys, { name: 'till', now: new Date() })).text;
});
afterAll(() => service.close());

/** On PostgreSQL, a service may lag by one second. */
const untilNoticed = () => Bun.sleep(process.env['TEST_STORE'] === undefined ? 0 : 1000);
const ask = (credential: string | null, path = '/v1/pets') => service.callAs(credential, path);
const issue = (name: string, expiresAt?: Date) =>
  issueKey(service.keys, { name, now: new Date(), ...(expiresAt && { expiresAt }) });

describe('the form of a key', () => {
  it('reveals a typo or a scan, which never reaches the store', async () => {
    let lookups = 0;
    const keys = {
      ...service.keys,
      findKey(hash: string) {
        lookups++;
        return service.keys.findKey(hash);
      },
    };
    await using counting = await openService({ keys });
    const typo = issuedKey.slice(0, -1) + (issuedKey.endsWith('x') ? 'y' : 'x');
    for (const scan of ['admin', 'pets_', 'null', issuedKey.slice(0, -1), `${issuedKey}0`, typo])
      expect(await outcomeOf(counting.callAs(`Bearer ${scan}`, '/v1/pets'))).toBe('401 invalid_api_key');
    expect(lookups).toBe(0);
    expect(await outcomeOf(counting.callAs(`Bearer ${issuedKey}`, '/v1/pets'))).toBe('200');
    expect(lookups).toBe(1);
  });
});

describe('a stored key', () => {
  it('is a SHA-256, and its text is nowhere in the store', async () => {
    await using place = await makeStorePlace();
    await using own = await openService({ openStore: () => place.open() });
    const { key, text } = await issueKey(own.keys, { name: 'kept-as-hash', now: new Date() });
    expect(await outcomeOf(own.callAs(`Bearer ${text}`, '/v1/pets'))).toBe('200');
    const written = await place.readAll();
    expect(written.includes('kept-as-hash')).toBe(true);
    expect(written.includes(createHash('sha256').update(text).digest('hex'))).toBe(true);
    for (const part of [text, text.slice(5, 35), text.slice(5, 13), text.slice(-8)]) {
      expect(written.includes(part)).toBe(false);
    }
    expect(JSON.stringify(key)).not.toContain(text.slice(5, 15));
  });

  it('has a last use, accurate to five minutes', async () => {
    const start = Date.parse('2027-01-31T12:00:00Z');
    let time = start;
    await using own = await openService({ now: () => time });
    const { key, text } = await issueKey(own.keys, { name: 'used', now: new Date(start) });
    const useAt = (minutes: number) => {
      time = start + minutes * 60_000;
      return own.callAs(`Bearer ${text}`, '/v1/pets');
    };
    const lastUse = async () => {
      const used = (await own.keys.listKeys()).find(({ id }) => id === key.id)?.lastUsedAt;
      return used && (used.getTime() - start) / 60_000;
    };
    // The use is written after the response, so it may show a little later.
    const untilLastUse = async (minutes: number) => {
      while ((await lastUse()) !== minutes) await Bun.sleep(5);
    };
    expect(key.lastUsedAt).toBeUndefined();
    await useAt(0);
    await untilLastUse(0);
    await useAt(4.9);
    await own.keys.revokeKey('0', new Date());
    expect(await lastUse()).toBe(0);
    await useAt(5);
    await untilLastUse(5);
  });
});

describe('API_KEYS', () => {
  it('adds fixed keys of any form', async () => {
    const apiKeys = ['x', 'fixed-key', '~!@#$%^&*()_+', 'k'.repeat(500)];
    await using own = await openService({ apiKeys });
    for (const key of apiKeys) expect(await outcomeOf(own.callAs(`Bearer ${key}`, '/v1/pets'))).toBe('200');
    for (const key of ['X', 'fixed-ke', 'fixed-key2']) {
      expect(await outcomeOf(own.callAs(`Bearer ${key}`, '/v1/pets'))).toBe('401 invalid_api_key');
    }
  });
});

describe('a revoked key', () => {
  it('is refused at the next request', async () => {
    const { key, text } = await issue('to-revoke');
    for (let use = 0; use < 3; use++) expect(await outcomeOf(ask(`Bearer ${text}`))).toBe('200');
    await service.keys.revokeKey(key.id, new Date());
    await untilNoticed();
    expect(await outcomeOf(ask(`Bearer ${text}`))).toBe('401 invalid_api_key');
    expect(await outcomeOf(ask(`Bearer ${issuedKey}`))).toBe('200');
  });
});

describe('a key', () => {
  const start = Date.parse('2027-01-31T12:00:00Z');
  const changes = [
    ['POST', '/v1/pets', '{"name":"Rex","categoryId":1}'],
    ['PATCH', '/v1/pets/1', '{"name":"Tom"}'],
    ['PUT', '/v1/categories/1', '{"name":"Dogs"}'],
  ] as const;

  it('is refused if it was revoked or expired while the body arrived', async () => {
    let time = start;
    await using place = await makeStorePlace();
    await using own = await openService({
      openStore: () => place.open({ now: () => time }),
      now: () => time,
    });
    for (const [method, path, json] of changes) {
      for (const ending of ['revoked', 'expired']) {
        const expiresAt = new Date((time += 60_000) + 1000);
        const { key, text } = await issueKey(own.keys, { name: 'till', now: new Date(time), expiresAt });
        const body = new ReadableStream({
          async pull(controller) {
            if (ending === 'expired') time += 1000;
            else await own.keys.revokeKey(key.id, new Date(time));
            await untilNoticed();
            controller.enqueue(Buffer.from(json));
            controller.close();
          },
        });
        const init = { method, headers: { 'Content-Type': 'application/json' }, body };
        expect(await outcomeOf(own.callAs(`Bearer ${text}`, path, init))).toBe('401 invalid_api_key');
      }
    }
    expect(await (await own.call('/v1/events')).text()).toBe('[]');
  });
});

describe('a 401', () => {
  it('is the same for an unknown, an expired and a revoked key', async () => {
    const { text: expired } = await issue('expired', new Date(Date.now() - 1000));
    const { key, text: revoked } = await issue('revoked');
    await service.keys.revokeKey(key.id, new Date());
    const bodies = [generateKey(), expired, revoked, 'x'].map(async (text) =>
      (await ask(`Bearer ${text}`)).text(),
    );
    expect(new Set(await Promise.all(bodies)).size).toBe(1);
  });
});

describe('a read-only key', () => {
  it('may list and fetch, and gets 404 and 405 before 403, and 403 before any other problem', async () => {
    const id = await addPet(service.call);
    const { text } = await issueKey(service.keys, { name: 'window', now: new Date(), isReadOnly: true });
    const window = (path: string, init?: RequestInit) =>
      outcomeOf(service.callAs(`Bearer ${text}`, `/v1/${path}`, init));
    for (const method of ['GET', 'HEAD'])
      for (const path of ['pets', 'pets?status=sold', `pets/${id}`, 'store/orders', 'events', 'categories'])
        expect(await window(path, { method })).toBe('200');
    expect(await window('unknown', post(rex))).toBe('404 not_found');
    for (const path of ['pets', `pets/${id}`])
      expect(await window(path, { method: 'PUT' })).toBe('405 method_not_allowed');
    for (const body of ['{', ' '.repeat(maxBodyBytes + 1)])
      expect(await window('pets', post(body))).toBe('403 forbidden');
    expect(await window('pets', post('x', { 'Content-Type': 'text/plain' }))).toBe('403 forbidden');
    expect(await window('pets/0', { method: 'DELETE' })).toBe('403 forbidden');
  });
});

describe('a key that may not delete', () => {
  it('is 403 on a delete, and may do everything else', async () => {
    const { text } = await issueKey(service.keys, { name: 'till', now: new Date(), mayDelete: false });
    const till = (path: string, init?: RequestInit) => service.callAs(`Bearer ${text}`, path, init);
    const path = `/v1/pets/${await addPet(till)}`;
    const refused = await till(path, { method: 'DELETE' });
    expect(refused.headers.get('WWW-Authenticate')).toEndWith('error="insufficient_scope"');
    expect(await outcomeOf(refused)).toBe('403 forbidden');
    expect(await outcomeOf(till('/v1/pets/0', { method: 'DELETE' }))).toBe('403 forbidden');
    expect(await outcomeOf(till('/v1/pets', { method: 'DELETE' }))).toBe('405 method_not_allowed');
    expect(await outcomeOf(till(path, patch({ name: 'Tom' })))).toBe('200');
  });
});

describe('getKey', () => {
  it('describes a key of the store, with its rights and its end', async () => {
    const now = new Date(Date.now() - 1000);
    const expiresAt = new Date(now.getTime() + 3_600_000);
    const till = await issueKey(service.keys, { name: 'till "2"', now, expiresAt });
    const window = await issueKey(service.keys, { name: 'window', now, isReadOnly: true });
    const describeKey = async ({ text }: typeof till): Promise<unknown> =>
      (await ask(`Bearer ${text}`, '/v1/key')).json();
    const described = { createdAt: now.toISOString(), readOnly: false, mayDelete: true };
    expect(await describeKey(window)).toEqual({
      ...described,
      ...{ name: 'window', readOnly: true, mayDelete: false },
    });
    const tillKey = { ...described, name: 'till "2"' };
    expect(await describeKey(till)).toEqual({ ...tillKey, expiresAt: expiresAt.toISOString() });
    const revokedAt = new Date(now.getTime() + 60_000);
    await service.keys.revokeKey(till.key.id, revokedAt);
    await untilNoticed();
    expect(await describeKey(till)).toEqual({ ...tillKey, expiresAt: revokedAt.toISOString() });
  });
});

describe('an Idempotency-Key', () => {
  it('may be chosen by another API key as well', async () => {
    const headers = { 'Idempotency-Key': 'chosen-twice' };
    const first = await service.call('/v1/pets', post(rex, headers));
    const other = await service.callAs(
      `Bearer ${issuedKey}`,
      '/v1/pets',
      post({ ...rex, name: 'Tom' }, headers),
    );
    expect(other.status).toBe(201);
    expect(other.headers.has('Idempotent-Replayed')).toBe(false);
    expect(other.headers.get('Location')).not.toBe(first.headers.get('Location'));
    const again = await service.call('/v1/pets', post(rex, headers));
    expect(again.headers.get('Idempotent-Replayed')).toBe('true');
  });
});
