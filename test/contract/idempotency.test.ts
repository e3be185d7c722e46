import { afterAll, describe, expect, it } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { issueKey } from '../../src/api-key.ts';
import { idsOf, outcomeOf, post, rex, walkPages } from '../support/http/calls.ts';
import { openService } from '../support/http/service.ts';
import { makeStorePlace } from '../support/store-place.ts';

/** `docs/decisions.md`, "Responses": idempotency. */

const service = await openService();
const { call } = service;
afterAll(() => service.close());

const newKey = () => randomBytes(12).toString('hex');
const create = (key: string, pet: unknown = rex) => call('/v1/pets', post(pet, { 'Idempotency-Key': key }));
const countPets = async () => (await walkPages(call, '?limit=100')).flat().length;

describe('an Idempotency-Key', () => {
  it('is optional on a create', async () => {
    const response = await call('/v1/pets', post(rex));
    expect(response.status).toBe(201);
    expect(response.headers.has('Idempotent-Replayed')).toBe(false);
  });

  it('returns the first 201 again, marked as replayed, for the same API key and body', async () => {
    const key = newKey();
    const first = await create(key);
    expect(first.headers.has('Idempotent-Replayed')).toBe(false);
    const count = await countPets();
    const firstBody = await first.text();
    for (let repeat = 0; repeat < 3; repeat++) {
      const again = await create(key);
      expect(again.status).toBe(201);
      expect(again.headers.get('Idempotent-Replayed')).toBe('true');
      expect(again.headers.get('Location')).toBe(first.headers.get('Location'));
      expect(await again.text()).toBe(firstBody);
    }
    expect(await countPets()).toBe(count);
  });

  it('takes the same pet in another spelling for the same body', async () => {
    const key = newKey();
    const id = idsOf(await (await create(key, '{"name":"Rex","categoryId":100}')).text());
    for (const body of [
      '{ "categoryId": 1e2, "name": "\\u0052ex" }',
      '{"id":9,"name":"Rex","categoryId":100.0,"x":1}',
    ]) {
      const again = await create(key, body);
      expect(again.headers.get('Idempotent-Replayed')).toBe('true');
      expect(idsOf(await again.text())).toEqual(id);
    }
  });

  it('refuses another body with 422 and adds nothing', async () => {
    const key = newKey();
    await create(key, { ...rex, status: 'sold' });
    const count = await countPets();
    for (const other of [
      rex,
      { ...rex, status: 'pending' },
      { ...rex, name: 'Rex ', status: 'sold' },
      { ...rex, categoryId: 2, status: 'sold' },
    ]) {
      expect(await outcomeOf(create(key, other))).toBe('422 idempotency_conflict');
    }
    expect(await countPets()).toBe(count);
    expect(await outcomeOf(create(key, { ...rex, status: 'sold' }))).toBe('201');
  });

  it('tells bodies apart that differ only past 2^53', async () => {
    const key = newKey();
    await create(key, '{"name":"Rex","categoryId":9007199254740992}');
    const other = create(key, '{"name":"Rex","categoryId":9007199254740993}');
    expect(await outcomeOf(other)).toBe('422 idempotency_conflict');
  });

  it('is case-sensitive', async () => {
    const key = newKey();
    const ids = await Promise.all(
      [`${key}a`, `${key}A`].map(async (one) => idsOf(await (await create(one)).text())[0]),
    );
    expect(new Set(ids).size).toBe(2);
  });

  it('may be chosen by another API key as well', async () => {
    const key = newKey();
    const first = await create(key);
    const { text } = await issueKey(service.keys, { name: 'other caller', now: new Date() });
    const init = post({ ...rex, name: 'Tom' }, { 'Idempotency-Key': key });
    const other = await service.callAs(`Bearer ${text}`, '/v1/pets', init);
    expect(other.status).toBe(201);
    expect(other.headers.has('Idempotent-Replayed')).toBe(false);
    expect(other.headers.get('Location')).not.toBe(first.headers.get('Location'));
    expect((await create(key)).headers.get('Idempotent-Replayed')).toBe('true');
  });

  it('is the same with and without quotes', async () => {
    const key = newKey();
    await create(key);
    expect((await create(`"${key}"`)).headers.get('Idempotent-Replayed')).toBe('true');
  });

  const good = ['a', '0', '~', '!', 'a,b', "it's", 'a"b', '{x}', 'k'.repeat(255), `"${'k'.repeat(254)}"`];
  for (const key of good) {
    it(`may be ${key.length > 20 ? `${key.length} characters` : key}`, async () => {
      expect(await outcomeOf(create(key))).toBe('201');
    });
  }

  const bad = ['', ' ', 'a b', '""', '"', '"a', '"a"b"', 'ä', 'a\tb', '"a b"', '"a", "b"', 'a, b'];
  for (const key of [...bad, 'k'.repeat(256), `"${'k'.repeat(256)}"`]) {
    it(`must not be ${key.length > 20 ? `${key.length} characters` : JSON.stringify(key)}`, async () => {
      const count = await countPets();
      expect(await outcomeOf(create(key))).toBe('400 invalid_parameter');
      expect(await countPets()).toBe(count);
    });
  }

  it('must not be given twice', async () => {
    const headers = new Headers({ 'Content-Type': 'application/json' });
    headers.append('Idempotency-Key', 'one');
    headers.append('Idempotency-Key', 'one');
    const response = call('/v1/pets', { method: 'POST', headers, body: JSON.stringify(rex) });
    expect(await outcomeOf(response)).toBe('400 invalid_parameter');
  });

  it('is not used up by a failed validation', async () => {
    const key = newKey();
    expect(await outcomeOf(create(key, {}))).toBe('400 invalid_pet');
    expect(await outcomeOf(create(key, '{'))).toBe('400 invalid_json');
    const response = await create(key);
    expect(response.status).toBe(201);
    expect(response.headers.has('Idempotent-Replayed')).toBe(false);
  });

  it('is kept at least 24 hours', async () => {
    const start = Date.parse('2027-01-31T12:00:00Z');
    let time = start;
    await using place = await makeStorePlace();
    await using own = await openService({
      openStore: () => place.open({ now: () => time }),
      now: () => time,
    });
    const send = () => own.call('/v1/pets', post(rex, { 'Idempotency-Key': 'daily' }));
    const first = await (await send()).text();
    for (const hours of [1, 23, 24]) {
      time = start + hours * 60 * 60 * 1000;
      const again = await send();
      expect(again.headers.get('Idempotent-Replayed')).toBe('true');
      expect(await again.text()).toBe(first);
    }
  });

  it('has no meaning on GET', async () => {
    const response = await call('/v1/pets', { headers: { 'Idempotency-Key': '' } });
    expect(response.status).toBe(200);
  });
});
