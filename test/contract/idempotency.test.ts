import { afterAll, describe, expect, it } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { issueKey } from '../../src/domain/api-key.ts';
import { outcomeOf, post, rex } from '../support/http/calls.ts';
import { openService } from '../support/http/service.ts';
import { makeStorePlace } from '../support/store-place.ts';

/** What `petstore-conform` cannot see of an Idempotency-Key: another caller, an empty store, the time. */

const service = await openService();
const { call } = service;
afterAll(() => service.close());

const newKey = () => randomBytes(12).toString('hex');
const create = (key: string, pet: unknown = rex) => call('/v1/pets', post(pet, { 'Idempotency-Key': key }));

describe('an Idempotency-Key', () => {
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

  const good = ['a', '0', '~', '!', 'a,b', "it's", 'a"b', '{x}', 'k'.repeat(255), `"${'k'.repeat(254)}"`];
  for (const key of good) {
    it(`may be ${key.length > 20 ? `${key.length} characters` : key}`, async () => {
      expect(await outcomeOf(create(key))).toBe('201');
    });
  }

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
});
