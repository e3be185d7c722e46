import { afterAll, describe, expect, it } from 'bun:test';
import * as fc from 'fast-check';
import { isPetStatus } from '../../src/domain/pet.ts';
import { post } from '../support/http/calls.ts';
import { openService } from '../support/http/service.ts';
import { holds } from '../support/property.ts';

const service = await openService();
const { call } = service;
afterAll(() => service.close());

/** Every response has already been checked against `openapi.yaml` when `call` returns. */
async function expectNoFault(pending: Promise<Response>): Promise<Response> {
  const response = await pending;
  expect(response.status).toBeGreaterThanOrEqual(200);
  expect(response.status).toBeLessThan(500);
  return response;
}

describe('POST /v1/pets', () => {
  it('accepts exactly the objects whose fields are all valid, and keeps every name', async () => {
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
  });
});
