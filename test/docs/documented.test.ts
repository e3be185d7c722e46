import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { PetstoreError, type ErrorCode } from '../../src/error.ts';
import { maxBodyBytes } from '../../src/http/body.ts';
import type { PetStore } from '../../src/pet.ts';
import { operations, type DocumentedOperation } from '../support/contract/openapi.ts';
import { openService, type Service } from '../support/http/service.ts';
import { requestFor, type Change } from '../support/contract/documented-request.ts';

/** Every status and error code that `openapi.yaml` lists for an operation occurs in a real response. */

let service: Service;

beforeAll(async () => {
  service = await openService();
  // The example of petId names this pet.
  await service.pets.createPet({ name: 'Rex', categoryId: 1n });
});

afterAll(() => service.close());

type Provoke = (operation: DocumentedOperation) => Response | Promise<Response>;

function send(operation: DocumentedOperation, change?: Change, { call } = service): Promise<Response> {
  const { path, init } = requestFor(operation, change);
  return call(path, init);
}

const change =
  (difference: Change): Provoke =>
  (operation) =>
    send(operation, difference);

const withAuthorization =
  (authorization: string | null): Provoke =>
  (operation) => {
    const { path, init } = requestFor(operation);
    return service.callAs(authorization, path, init);
  };

/** Sends the request to a service whose store fails with this error. */
const withFailure =
  (error: Error): Provoke =>
  (operation) => {
    const fail = () => Promise.reject(error);
    const pets: PetStore = { listPets: fail, getPet: fail, createPet: fail, checkWritable: fail };
    return openAndSend(operation, pets);
  };

async function openAndSend(operation: DocumentedOperation, pets: PetStore): Promise<Response> {
  const failing = await openService({ pets });
  try {
    return await send(operation, {}, failing);
  } finally {
    await failing.close();
  }
}

const successes: Record<string, Provoke> = {
  200: change({}),
  201: change({}),
  204: change({}),
  304: change({ headers: { 'If-None-Match': '*' } }),
};

const errors: Record<ErrorCode, Provoke> = {
  unauthorized: withAuthorization(null),
  invalid_api_key: withAuthorization('Bearer wrong'),
  not_found: change({ petId: '0' }),
  method_not_allowed: change({ method: 'DELETE' }),
  invalid_parameter: change({ query: [['limit', '0']], headers: { 'Idempotency-Key': '' } }),
  invalid_cursor: change({ query: [['cursor', 'none']] }),
  invalid_json: change({ body: '{' }),
  invalid_pet: change({ body: '{}' }),
  payload_too_large: change({ body: `"${'x'.repeat(maxBodyBytes)}"` }),
  unsupported_media_type: change({ contentType: 'text/plain' }),
  async idempotency_conflict(operation) {
    const headers = { 'Idempotency-Key': 'again' };
    await send(operation, { headers });
    return send(operation, { headers, body: '{"name":"Another","categoryId":1}' });
  },
  precondition_failed: change({ headers: { 'If-Match': '"another"' } }),
  async rate_limited(operation) {
    await using limited = await openService({ requestsPerMinute: 1 });
    await send(operation, {}, limited);
    return send(operation, {}, limited);
  },
  overloaded: withFailure(new PetstoreError('overloaded', 'Too many writes are waiting.')),
  unavailable: withFailure(new PetstoreError('unavailable', 'The store cannot be used.')),
  internal: withFailure(new Error('disk on fire')),
};

/** The codes whose message is always the same. */
const alwaysTheSame = new Set<ErrorCode>([
  'unauthorized',
  'invalid_api_key',
  'invalid_cursor',
  'invalid_json',
  'payload_too_large',
  'unsupported_media_type',
  'idempotency_conflict',
  'rate_limited',
]);

for (const operation of operations) {
  describe(`${operation.method} ${operation.path}`, () => {
    for (const [status, { content = {} }] of Object.entries(operation.responses)) {
      if (Number(status) < 400) {
        it(`responds with ${status}`, async () => {
          expect((await successes[status]?.(operation))?.status).toBe(Number(status));
        });
        continue;
      }
      const examples = Object.values(content['application/json']?.examples ?? {});
      for (const example of examples.map(
        ({ value }) => value as Record<string, unknown> & { code: ErrorCode },
      )) {
        const { code } = example;
        it(`responds with ${status} ${code}`, async () => {
          const response = await errors[code](operation);
          expect(response.status).toBe(Number(status));
          const body: unknown = await response.json();
          if (alwaysTheSame.has(code)) expect(body).toEqual(example);
          else expect(body).toHaveProperty('code', code);
        });
      }
    }

    it('needs a key unless the document says otherwise', async () => {
      const { status } = await withAuthorization(null)(operation);
      expect(status === 401).toBe(operation.security === undefined);
    });

    it('allows the documented methods and no others', async () => {
      const documented = operations.filter(({ path }) => path === operation.path).map(({ method }) => method);
      const allowed = (await send(operation, { method: 'OPTIONS' })).headers.get('Allow')?.split(', ');
      expect(allowed?.toSorted()).toEqual([...documented, 'HEAD'].toSorted());
      const others = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'].filter(
        (name) => !allowed?.includes(name),
      );
      for (const response of await Promise.all(others.map((method) => send(operation, { method })))) {
        expect(response.status).toBe(405);
        expect(response.headers.get('Allow')?.split(', ')).toEqual(allowed);
      }
    });
  });
}
