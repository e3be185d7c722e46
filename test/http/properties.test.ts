import { afterAll, describe, expect, it } from 'bun:test';
import * as fc from 'fast-check';
import { isPetStatus } from '../../src/domain/pet.ts';
import { post, rex } from '../support/http/calls.ts';
import { openService } from '../support/http/service.ts';
import { holds, propertyTimeoutMs } from '../support/property.ts';

const service = await openService();
const { call } = service;
afterAll(() => service.close());

const jsonInit = (body: string | Uint8Array<ArrayBuffer>): RequestInit => ({ ...post(''), body });

/** Every response has already been checked against `openapi.yaml` when `call` returns. */
async function expectNoFault(pending: Promise<Response>): Promise<Response> {
  const response = await pending;
  expect(response.status).toBeGreaterThanOrEqual(200);
  expect(response.status).toBeLessThan(500);
  return response;
}

describe('POST /v1/pets', () => {
  it(
    'accepts exactly the objects whose fields are all valid, and keeps every name',
    async () => {
      const name = fc.oneof(fc.string({ unit: 'binary' }), fc.jsonValue());
      const categoryId = fc.oneof(fc.integer(), fc.double(), fc.jsonValue());
      const status = fc.oneof(fc.constantFrom('available', 'pending', 'sold'), fc.jsonValue());
      const pet = fc.record({ name, categoryId, status, id: fc.jsonValue() }, { requiredKeys: [] });
      await holds(
        fc.asyncProperty(pet, async (fields) => {
          const sent = JSON.parse(JSON.stringify(fields)) as Record<string, unknown>;
          const { name: sentName, categoryId: sentId } = sent;
          const isRight =
            typeof sentName === 'string' &&
            sentName.isWellFormed() &&
            !sentName.includes('\0') &&
            typeof sentId === 'number' &&
            Number.isInteger(sentId) &&
            Math.abs(sentId) < 2 ** 63 &&
            (!('status' in sent) || isPetStatus(sent['status']));
          const response = await expectNoFault(call('/v1/pets', post(fields)));
          expect(response.status).toBe(isRight ? 201 : 400);
          if (!isRight) return;
          const stored = await call(response.headers.get('Location') ?? '');
          expect(await stored.json()).toMatchObject({ name: sentName });
        }),
        200,
      );
    },
    propertyTimeoutMs,
  );

  it(
    'keeps every int64 and refuses every other integer',
    async () => {
      const integer = fc.oneof(
        fc.bigInt({ min: -(2n ** 66n), max: 2n ** 66n }),
        fc.bigInt({ min: 2n ** 63n - 5n, max: 2n ** 63n + 5n }),
        fc.bigInt({ min: -(2n ** 63n) - 5n, max: -(2n ** 63n) + 5n }),
      );
      await holds(
        fc.asyncProperty(integer, fc.nat({ max: 30 }), async (value, zeros) => {
          const isInt64 = BigInt.asIntN(64, value) === value;
          // The same value in three spellings: plain, with a fraction of zeros, and shifted by an exponent.
          const digits = '0'.repeat(zeros);
          const shifted = value === 0n ? `0e-${zeros}` : `${value}${digits}e-${zeros}`;
          for (const source of [`${value}`, `${value}.0${digits}`, shifted]) {
            const response = await call('/v1/pets', post(`{"name":"","categoryId":${source}}`));
            expect(response.status).toBe(isInt64 ? 201 : 400);
            if (isInt64) expect(await response.text()).toEndWith(`"categoryId":${value}}`);
          }
        }),
        80,
      );
    },
    propertyTimeoutMs,
  );

  it(
    'responds with 201 or a documented 4xx to a valid body with some bytes changed',
    async () => {
      const right = Buffer.from(JSON.stringify({ ...rex, name: 'Rex 🐈', status: 'sold' }));
      const change = fc.record({ at: fc.nat({ max: right.length - 1 }), to: fc.nat({ max: 255 }) });
      await holds(
        fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
          const bytes = Buffer.from(right);
          for (const { at, to } of changes) bytes[at] = to;
          await expectNoFault(call('/v1/pets', jsonInit(bytes)));
        }),
        200,
      );
    },
    propertyTimeoutMs,
  );
});
