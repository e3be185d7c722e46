import { afterAll, describe, expect, it } from 'bun:test';
import { issueKey } from '../../src/stores/issue-key.ts';
import { post, rex } from '../support/http/calls.ts';
import { openService } from '../support/http/service.ts';

/** What `petstore-conform` cannot see of an Idempotency-Key: another caller. */

const service = await openService();
const { call } = service;
afterAll(() => service.close());

const create = (key: string) => call('/v1/pets', post(rex, { 'Idempotency-Key': key }));

describe('an Idempotency-Key', () => {
  it('may be chosen by another API key as well', async () => {
    const key = 'chosen-twice';
    const first = await create(key);
    const { text } = await issueKey(service.keys, { name: 'other caller', now: new Date() });
    const init = post({ ...rex, name: 'Tom' }, { 'Idempotency-Key': key });
    const other = await service.callAs(`Bearer ${text}`, '/v1/pets', init);
    expect(other.status).toBe(201);
    expect(other.headers.has('Idempotent-Replayed')).toBe(false);
    expect(other.headers.get('Location')).not.toBe(first.headers.get('Location'));
    expect((await create(key)).headers.get('Idempotent-Replayed')).toBe('true');
  });
});
