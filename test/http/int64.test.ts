import { afterAll, describe, expect, it } from 'bun:test';
import { addPet, outcomeOf, post } from '../support/http/calls.ts';
import { openService } from '../support/http/service.ts';

const service = await openService();
const { call } = service;
afterAll(() => service.close());

const edges = {
  'the largest int64': '9223372036854775807',
  'one below the largest': '9223372036854775806',
  'the smallest int64': '-9223372036854775808',
  'one above the smallest': '-9223372036854775807',
  '2^53': '9007199254740992',
  '2^53 + 1': '9007199254740993',
  '-2^53 - 1': '-9007199254740993',
  '2^32': '4294967296',
  '2^31': '2147483648',
  zero: '0',
  'minus one': '-1',
};

const pastTheEnds = {
  'one past the largest': '9223372036854775808',
  'one past the smallest': '-9223372036854775809',
  '2^64': '18446744073709551616',
  '2^64 + 1, which wraps to 1': '18446744073709551617',
};

describe('POST /v1/pets', () => {
  for (const [name, digits] of Object.entries(edges)) {
    it(`keeps ${name} as a categoryId, digit by digit, in 201, list and get`, async () => {
      await using own = await openService();
      const created = await own.call(
        '/v1/pets',
        post(`{"name":"Rex","categoryId":${digits},"status":"sold"}`),
      );
      const text = await created.text();
      expect(created.status).toBe(201);
      expect(text).toMatch(new RegExp(`"categoryId":${digits}[,}]`));
      expect(await (await own.call(created.headers.get('Location') ?? '')).text()).toBe(text);
      expect(await (await own.call('/v1/pets')).text()).toBe(`[${text}]`);
      expect(await (await own.call('/v1/pets?status=sold&limit=1')).text()).toBe(`[${text}]`);
    });
  }

  for (const [name, digits] of Object.entries(pastTheEnds)) {
    it(`refuses a categoryId of ${name}, also as ${digits}.0 and in exponent form`, async () => {
      for (const source of [
        digits,
        `${digits}.0`,
        `${digits}0e-1`,
        `${digits.slice(0, -1)}.${digits.at(-1)}e1`,
      ]) {
        const response = call('/v1/pets', post(`{"name":"Rex","categoryId":${source}}`));
        expect(await outcomeOf(response)).toBe('400 invalid_pet');
      }
    });
  }

  it('sends the same digits of the id in the body and in Location', async () => {
    const response = await call('/v1/pets', post({ name: 'Rex', categoryId: 1 }));
    const id = /^\{"id":(\d+),/.exec(await response.text())?.[1];
    expect(response.headers.get('Location')).toBe(`/v1/pets/${id}`);
  });
});

describe('GET /v1/pets/{petId}', () => {
  for (const [name, digits] of Object.entries({ ...edges, ...pastTheEnds })) {
    it(`is 404 for ${name}, which no pet has`, async () => {
      await addPet(call);
      expect(await outcomeOf(call(`/v1/pets/${digits}`))).toBe('404 not_found');
    });
  }

  it('does not find a pet by an id that wraps round to its own', async () => {
    const id = BigInt(await addPet(call));
    for (const wrapped of [id + 2n ** 64n, id - 2n ** 64n, id + 2n ** 32n]) {
      expect(await outcomeOf(call(`/v1/pets/${wrapped}`))).toBe('404 not_found');
    }
    expect(await outcomeOf(call(`/v1/pets/${id}`))).toBe('200');
  });
});
