import { afterAll, describe, expect, it } from 'bun:test';
import { maxBodyBytes } from '../../../src/domain/pet.ts';
import { addPet, errorOf, outcomeOf, patch, rex } from '../../support/http/calls.ts';
import { openService } from '../../support/http/service.ts';

const service = await openService();
const { call } = service;
afterAll(() => service.close());

const textOf = async (id: string) => (await call(`/v1/pets/${id}`)).text();
const etagOf = async (id: string) => (await call(`/v1/pets/${id}`)).headers.get('ETag') ?? '';
const update = (id: string, body: unknown, headers?: Record<string, string>) =>
  call(`/v1/pets/${id}`, patch(body, headers));

describe('updatePet', () => {
  it('changes the fields that the body names, and no others', async () => {
    const id = await addPet(call, { ...rex, status: 'available' });
    const steps: [object, object][] = [
      [{ name: 'Tom' }, { name: 'Tom', categoryId: 1, status: 'available' }],
      [{ categoryId: -7 }, { name: 'Tom', categoryId: -7, status: 'available' }],
      [{ status: 'sold' }, { name: 'Tom', categoryId: -7, status: 'sold' }],
      [
        { name: '', categoryId: 3, status: 'pending' },
        { name: '', categoryId: 3, status: 'pending' },
      ],
    ];
    for (const [body, fields] of steps) {
      const response = await update(id, body);
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({ id: Number(id), ...fields });
      expect(JSON.parse(await textOf(id))).toEqual({ id: Number(id), ...fields });
    }
  });

  it('responds with the ETag that getPet has from then on, and is never cached', async () => {
    const id = await addPet(call);
    const before = await etagOf(id);
    const { headers } = await update(id, { name: 'Tom' });
    expect(headers.get('ETag')).toBe(await etagOf(id));
    expect(headers.get('ETag')).not.toBe(before);
    expect(headers.get('Cache-Control')).toBe('no-store');
  });

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

describe('expected', () => {
  it('lets the change pass if the pet matches', async () => {
    const id = await addPet(call, { ...rex, status: 'available' });
    const body = { status: 'sold', expected: { name: 'Rex', categoryId: 1, status: 'available' } };
    expect(await outcomeOf(update(id, body))).toBe('200');
    await update(id, { status: null });
    expect(await outcomeOf(update(id, { status: 'sold', expected: { status: null } }))).toBe('200');
  });

  it('refuses the change with 412 if the pet differs, and nothing changes', async () => {
    const id = await addPet(call, { ...rex, status: 'available' });
    const before = await textOf(id);
    expect(await errorOf(update(id, { name: 'Tom', expected: { name: 'Rex', status: 'sold' } }))).toEqual({
      code: 'precondition_failed',
      message: 'The pet is not as you expected it. Get it again, then decide.',
      status: 412,
    });
    expect(await textOf(id)).toBe(before);
  });
});

describe('preconditions of a change', () => {
  const methods: [string, (id: string, headers: Record<string, string>) => Promise<Response>][] = [
    ['PATCH', (id, headers) => update(id, { name: 'Tom' }, headers)],
    ['DELETE', (id, headers) => call(`/v1/pets/${id}`, { method: 'DELETE', headers })],
  ];
  for (const [method, change] of methods) {
    it(`refuse the ETag from before another change with 412, and nothing changes: ${method}`, async () => {
      const id = await addPet(call);
      const etag = await etagOf(id);
      await update(id, { status: 'sold' });
      expect(await outcomeOf(change(id, { 'If-Match': etag }))).toBe('412 precondition_failed');
      expect(await outcomeOf(change(id, { 'If-None-Match': '*' }))).toBe('412 precondition_failed');
      await update(id, { status: null });
      expect(await etagOf(id)).toBe(etag);
      expect((await change(id, { 'If-Match': etag })).status).toBeLessThan(300);
    });

    it(`leave a pet that does not exist 404: ${method}`, async () => {
      for (const headers of [{ 'If-Match': '*' }, { 'If-Match': '"x"' }, { 'If-None-Match': '*' }]) {
        for (const id of ['0', 'abc']) expect(await outcomeOf(change(id, headers))).toBe('404 not_found');
      }
    });
  }
});
