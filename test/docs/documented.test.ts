import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { rename } from 'node:fs/promises';
import { generateKey } from '../../src/api-key.ts';
import { PetstoreError, type ErrorCode } from '../../src/error.ts';
import { maxBodyBytes } from '../../src/http/body.ts';
import { openSqliteStore } from '../../src/sqlite/open.ts';
import { requestFor, type Change } from '../support/contract/documented-request.ts';
import { openapi, operations, type DocumentedOperation } from '../support/contract/openapi.ts';
import type { ErrorBody } from '../support/http/calls.ts';
import { openFailingService } from '../support/http/failing-service.ts';
import { openService, type Service } from '../support/http/service.ts';
import { makeSqlitePlace } from '../support/store-place.ts';

/** The service really gives whatever `openapi.yaml` promises: each status and each error, word for word. */

let service: Service;

beforeAll(async () => {
  service = await openService();
  // The example of petId names this pet.
  await service.pets.createPet({ name: 'Rex', categoryId: 1n });
});

afterAll(() => service.close());

type Provoke = (operation: DocumentedOperation) => Response | Promise<Response>;

const anyOtherPath: DocumentedOperation = {
  ...openapi['x-any-other-path'],
  operationId: 'none',
  method: 'GET',
  path: '/v1/none',
  parameters: [],
};

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

/** No request to another path reaches the pets, but the store is asked for every key that is not a fixed one. */
function sendToStore(
  operation: DocumentedOperation,
  headers: Record<string, string>,
  to: Service,
): Promise<Response> {
  if (operation !== anyOtherPath) return send(operation, { headers }, to);
  const { path, init } = requestFor(operation, { headers });
  return to.callAs(`Bearer ${keyOfStore}`, path, init);
}
const keyOfStore = generateKey((length) => Buffer.alloc(length, 7));

const withFailure = async (operation: DocumentedOperation, error: Error): Promise<Response> => {
  await using failing = await openFailingService(error);
  return await sendToStore(operation, { 'X-Request-Id': 'checkout-7f3a' }, failing);
};

/** The file of the store is moved away while the service runs. */
async function withoutStore(operation: DocumentedOperation): Promise<Response> {
  await using place = await makeSqlitePlace();
  await using lost = await openService({ openStore: () => place.open() });
  await rename(place.path, `${place.path}.moved`);
  for (;;) {
    const response = await sendToStore(operation, {}, lost);
    // A moment passes until it is noticed.
    if (response.status === 503) return response;
    await Bun.sleep(20);
  }
}

/** More creates than may wait. Reads wait for nothing, so a failing store has to do for them. */
async function withFullQueue(operation: DocumentedOperation): Promise<Response> {
  if (operation.operationId !== 'createPet') {
    return withFailure(operation, new PetstoreError('overloaded', 'Too many are waiting.'));
  }
  await using place = await makeSqlitePlace();
  await using busy = await openService({
    openStore: async () => openSqliteStore({ path: place.path, maxQueuedWrites: 1 }),
  });
  const responses = await Promise.all(Array.from({ length: 20 }, () => send(operation, {}, busy)));
  return responses.find(({ status }) => status !== 201) ?? Response.error();
}

const successes: Record<string, Provoke> = {
  200: change({}),
  201: change({}),
  204: change({}),
  304: change({ headers: { 'If-None-Match': '*' } }),
  308: () => service.callAs(null, '/docs/'),
};

const errors: Record<ErrorCode, Provoke> = {
  unauthorized: withAuthorization(null),
  invalid_api_key: withAuthorization('Bearer wrong'),
  not_found: change({ petId: '0' }),
  method_not_allowed: change({ method: 'DELETE' }),
  invalid_parameter: change({ query: [['limit', '0']], headers: { 'Idempotency-Key': '' } }),
  invalid_cursor: change({ query: [['cursor', 'none']] }),
  invalid_json: change({ body: '{' }),
  invalid_pet: change({ body: '{"categoryId":1,"status":"adopted"}' }),
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
  overloaded: withFullQueue,
  unavailable: withoutStore,
  internal: (operation) => withFailure(operation, new Error('disk on fire')),
};

type DocumentedError = ErrorBody & { code: ErrorCode };

const errorsOf = ({ responses }: DocumentedOperation): DocumentedError[] =>
  Object.values(responses)
    .flatMap(({ content }) => Object.values(content?.['application/json']?.examples ?? {}))
    .map(({ value }) => value as DocumentedError)
    .filter(({ code }) => code in errors);

for (const operation of [...operations, anyOtherPath]) {
  describe(`${operation.method} ${operation.path}`, () => {
    for (const status of Object.keys(operation.responses).filter((text) => Number(text) < 400)) {
      it(`responds with ${status}`, async () => {
        expect((await successes[status]?.(operation))?.status).toBe(Number(status));
      });
    }

    for (const [code, documented] of Map.groupBy(errorsOf(operation), (error) => error.code)) {
      it(`responds with ${code}, word for word`, async () => {
        const response = await errors[code](operation);
        const body = (await response.json()) as DocumentedError;
        expect(documented.map(({ status }) => status)).toContain(response.status);
        if (code === 'overloaded' && operation.operationId !== 'createPet') expect(body.code).toBe(code);
        else expect(documented).toContainEqual(body);
      });
    }

    it('needs a key unless the document says otherwise', async () => {
      const { status } = await withAuthorization(null)(operation);
      expect(status === 401).toBe(operation.security === undefined);
    });
  });
}

for (const operation of operations) {
  describe(`${operation.method} ${operation.path}`, () => {
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

describe('every message of an error that openapi.yaml shows', () => {
  const all = [...operations, anyOtherPath].flatMap((operation) =>
    errorsOf(operation).map(({ code, message }) => ({ operation, code, message })),
  );
  for (const [message, places] of Map.groupBy(all, (place) => place.message)) {
    it(`is one that the service really sends: ${message}`, async () => {
      const sent = new Set<string>();
      for (const { operation, code } of places) {
        sent.add(((await (await errors[code](operation)).json()) as ErrorBody).message);
        if (sent.has(message)) break;
      }
      expect([...sent]).toContain(message);
    });
  }
});
