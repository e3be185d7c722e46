import { afterAll, describe, expect, it } from 'bun:test';
import { maxBodyBytes } from '../../../src/domain/pet.ts';
import { addPet, errorOf, outcomeOf, patch } from '../../support/http/calls.ts';
import { openService } from '../../support/http/service.ts';

const service = await openService();
const { call } = service;
afterAll(() => service.close());

const textOf = async (id: string) => (await call(`/v1/pets/${id}`)).text();
const update = (id: string, body: unknown, headers?: Record<string, string>) =>
  call(`/v1/pets/${id}`, patch(body, headers));

describe('updatePet', () => {
  it('ignores unknown fields, however deep, and an Idempotency-Key', async () => {
    const id = await addPet(call);
    const deep = '['.repeat(5000) + ']'.repeat(5000);
    const body = `{"id":7,"name":"Tom","categoryId":9007199254740993,"x":${deep},"expected":{"name":"Rex","x":${deep.slice(4000, 6000)}}}`;
    expect(await outcomeOf(update(id, body))).toBe('200');
    expect(await textOf(id)).toBe(`{"id":${id},"name":"Tom","categoryId":9007199254740993}`);
    for (const name of ['A', 'B']) {
      const response = await update(id, { name }, { 'Idempotency-Key': 'same' });
      expect(await response.json()).toMatchObject({ name });
      expect(response.headers.has('Idempotent-Replayed')).toBe(false);
    }
    expect(await outcomeOf(update(id, { name: 'C' }, { 'Idempotency-Key': '' }))).toBe('200');
  });
});

describe('a body of updatePet', () => {
  it.each([
    '{"nam":"Tom"}',
    '{"expected":{"name":"Rex"}}',
    '{"name":"Tom","status":"lost"}',
    '{"name":"Tom","expected":{}}',
    '{"name":"Tom","expected":{"x":1}}',
    '{"name":"Tom","expected":{"status":"lost"}}',
    '{"name":"Tom","expected":{"name":null}}',
    '{"name":"Tom","expected":{"categoryId":1.5}}',
    '{"__proto__":{"name":"Tom"}}',
  ])('is invalid_pet if it is %s, and nothing changes', async (body) => {
    const id = await addPet(call);
    expect(await outcomeOf(update(id, body))).toBe('400 invalid_pet');
    expect(await textOf(id)).toBe(`{"id":${id},"name":"Rex","categoryId":1}`);
  });

  it('gets all its problems in one response', async () => {
    const id = await addPet(call);
    const { message } = await errorOf(update(id, { name: 1, categoryId: 'x', status: 'lost' }));
    expect(message).toMatch(/^name .*\. categoryId .*\. status .*\.$/);
  });

  it('is checked in the same sequence as a create, and before the pet', async () => {
    const text = { 'Content-Type': 'text/plain' };
    const tooLarge = ' '.repeat(maxBodyBytes + 1);
    const steps: [string, string, Record<string, string>?][] = [
      ['415 unsupported_media_type', tooLarge, text],
      ['413 payload_too_large', `{${tooLarge}`],
      ['400 invalid_json', '{"name":7,}'],
      ['400 invalid_pet', '{"name":7}', { 'If-Match': '"x"' }],
    ];
    for (const petId of [await addPet(call), '0']) {
      for (const [outcome, body, headers] of steps) {
        expect(await outcomeOf(update(petId, body, headers))).toBe(outcome);
      }
    }
    expect(await outcomeOf(update('0', { name: 'Tom' }, { 'If-Match': '"x"' }))).toBe('404 not_found');
  });

  it.each(['abc', '01', '9223372036854775808'])(
    'is not looked at if the path is %s, which names no pet',
    async (petId) => {
      expect(await outcomeOf(update(petId, 'no JSON', { 'Content-Type': 'text/plain' }))).toBe(
        '404 not_found',
      );
      expect(await outcomeOf(update(petId, { name: 'Tom' }, { 'If-Match': '"x"' }))).toBe('404 not_found');
    },
  );
});
