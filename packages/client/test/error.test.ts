import { afterAll, describe, expect, it } from 'bun:test';
import {
  isInvalidPet,
  isNotFound,
  isPetstoreError,
  isTemporary,
  isUnauthorized,
  PetstoreClientError,
  type PetstoreClient,
} from '../src/index.ts';
import { failureOf } from '../../../test/support/failure.ts';
import { openListeningService } from '../../../test/support/http/listening.ts';

const service = await openListeningService();
afterAll(() => service[Symbol.asyncDispose]());

async function errorOf(promise: Promise<unknown>): Promise<PetstoreClientError> {
  const error = await failureOf(promise);
  if (!isPetstoreError(error)) throw error;
  return error;
}

describe('PetstoreClientError', () => {
  it('carries the code, status, message and request id of the service', async () => {
    const error = await errorOf(service.client.getPet(2n ** 63n - 1n));
    expect(error).toBeInstanceOf(PetstoreClientError);
    expect(error).toMatchObject({ code: 'not_found', status: 404, message: 'No pet has this id.' });
    expect(error.requestId).toMatch(/^[0-9a-f-]{36}$/);
    expect([isNotFound(error), isUnauthorized(error), isTemporary(error)]).toEqual([true, false, false]);
  });

  it('reports a wrong key without repeating it', async () => {
    const apiKey = 'secret-of-this-test';
    const error = await errorOf(service.clientWith({ apiKey }).listPets());
    expect(Bun.inspect(error)).not.toContain(apiKey);
    expect(error).toMatchObject({ code: 'invalid_api_key', status: 401 });
    expect(isUnauthorized(error)).toBe(true);
  });

  it('reports the problems of a pet by field without sending it', async () => {
    const client = service.clientWith({ fetch: () => Promise.reject(new Error('It was sent.')) });
    const error = await errorOf(client.createPet({ name: '\0', categoryId: 2n ** 63n }));
    expect(isInvalidPet(error)).toBe(true);
    expect(error).toMatchObject({ status: undefined, requestId: undefined });
    expect(Object.keys(error.problems ?? {})).toEqual(['name', 'categoryId']);
    expect(error.message).toContain('name must be');
    expect(error.message).toContain('categoryId must be');
  });

  it('reports a pet that only the service refuses, without problems by field', async () => {
    const body = '{"code":"invalid_pet","message":"name is taken.","status":400}';
    const client = service.clientWith({ fetch: async () => new Response(body, { status: 400 }) });
    const error = await errorOf(client.createPet({ name: 'Rex', categoryId: 1n }));
    expect(isInvalidPet(error)).toBe(true);
    expect(error).toMatchObject({ status: 400, message: 'name is taken.', problems: undefined });
  });

  const order = '{"id":1,"petId":2,"status":"sold","createdAt":"2026-11-16T10:00:01Z"}';
  it.each<[string, (client: PetstoreClient) => Promise<unknown>, ...string[]]>([
    ['listPets', (client) => client.listPets(), '<h1>Hello</h1>', '{"id":1}'],
    ['listPets', (client) => client.listPets(), '[{"id":1.5,"name":"Rex","categoryId":1}]'],
    ['deletePet', (client) => client.deletePet(1n), '<h1>Welcome</h1>'],
    ['listOrders', (client) => client.listOrders(), '{}', '[{"id":1}]'],
    ['listOrders', (client) => client.listOrders(), `[${order.replace('sold', 'available')}]`],
    ['listOrders', (client) => client.listOrders(), `[${order.replace('2026', 'when')}]`],
    ['putCategory', (client) => client.putCategory(7n, 'Cats'), '{"id":"7","name":"Cats"}'],
    ['getCategory', (client) => client.getCategory(7n), '{"id":"7","name":"Cats"}'],
  ])('reports a response to %s that does not come from this API', async (_name, call, ...bodies) => {
    for (const body of bodies) {
      const client = service.clientWith({ fetch: async () => new Response(body) });
      expect((await errorOf(call(client))).code).toBe('unexpected_response');
    }
  });

  it.each([
    [418, '{"code":"teapot","message":"No.","status":418}'],
    [404, 'gone'],
  ])('reports a %d with %j, which is no error of this API', async (status, body) => {
    const client = service.clientWith({ fetch: async () => new Response(body, { status }) });
    expect((await errorOf(client.listPets())).code).toBe('unexpected_response');
  });

  it('names the address without its query when it cannot be reached', async () => {
    const client = service.clientWith({ retryForMs: 0, fetch: () => Promise.reject(new Error('refused')) });
    const message = `${service.url}/v1/pets cannot be reached.`;
    expect(await errorOf(client.listPets({ limit: 7 }))).toMatchObject({ code: 'network', message });
  });

  it('names the address without its query when no response arrives in time', async () => {
    const fetch = (_: string, { signal }: { signal: AbortSignal }) =>
      new Promise<Response>((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(new Error('aborted'))),
      );
    const client = service.clientWith({ retryForMs: 0, timeoutMs: 1, fetch });
    const message = `No response from ${service.url}/v1/pets within 1 ms.`;
    expect(await errorOf(client.listPets({ limit: 7 }))).toMatchObject({ code: 'timeout', message });
  });
});

describe('isPetstoreError', () => {
  it('recognizes errors of another copy of the package, and no others', () => {
    class PetstoreClientErrorCopy extends Error {
      override name = 'PetstoreClientError';
      code = 'not_found';
    }
    expect(isPetstoreError(new PetstoreClientErrorCopy())).toBe(true);
    expect(isNotFound(new PetstoreClientErrorCopy())).toBe(true);
    for (const other of [new Error('x'), { name: 'PetstoreClientError' }, 'not_found', null, undefined])
      expect(isPetstoreError(other)).toBe(false);
  });
});
