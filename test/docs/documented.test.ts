import { afterAll, describe, expect, it } from 'bun:test';
import { rename } from 'node:fs/promises';
import { generateKey } from '../../src/domain/api-key.ts';
import { issueKey } from '../../src/stores/issue-key.ts';
import { type ErrorCode, PetstoreError } from '../../src/domain/error.ts';
import { encodeCursor } from '../../src/http/parameters.ts';
import { maxBodyBytes } from '../../src/domain/pet.ts';
import { openSqliteStore } from '../../src/stores/sqlite/open.ts';
import { operations, type DocumentedOperation } from '../support/contract/openapi.ts';
import { requestFor, sendTo, type Change } from '../support/contract/send.ts';
import type { ErrorBody } from '../support/http/calls.ts';
import { openFailingService } from '../support/http/failing-service.ts';
import { openService, type Service } from '../support/http/service.ts';
import { makeSqlitePlace } from '../support/store-place.ts';
import { createPet } from '../support/changes.ts';

/** The service really gives whatever a document promises: each status and each error, word for word. */

type Provoke = (operation: DocumentedOperation) => Response | Promise<Response>;
type DocumentedError = ErrorBody & { code: ErrorCode };

const rex = { name: 'Rex', categoryId: 1n };
const cursorOfAnotherLog = encodeCursor('e1.0c1ad98f4b7e2356.2');
const writes = ['createPet', 'updatePet', 'deletePet', 'putCategory', 'deleteCategory'];

const service = await openService();
// The example of petId names this pet.
await service.pets.apply(createPet(rex));
afterAll(() => service.close());

const change =
  (difference: Change): Provoke =>
  (operation) =>
    sendTo(service, operation, difference);

const withAuthorization =
  (authorization: string | null): Provoke =>
  (operation) => {
    const { path, init } = requestFor(operation);
    return service.callAs(authorization, path, init);
  };

const withKey =
  (rights: { isReadOnly?: boolean; mayDelete?: boolean }): Provoke =>
  async (operation) => {
    const { text } = await issueKey(service.keys, { name: 'window', now: new Date(), ...rights });
    return withAuthorization(`Bearer ${text}`)(operation);
  };

/** Unlike `sendTo`, it adds no pet first: the store would fail. */
const sendToStore = (
  operation: DocumentedOperation,
  headers: Record<string, string>,
  to: Service,
): Promise<Response> => {
  const { path, init } = requestFor(operation, { headers });
  // A fixed key is described without the store.
  const ofStore = `Bearer ${generateKey()}`;
  return operation.operationId === 'getKey' ? to.callAs(ofStore, path, init) : to.call(path, init);
};

const withFailure = async (operation: DocumentedOperation, error: Error): Promise<Response> => {
  await using failing = await openFailingService(error);
  return await sendToStore(operation, { 'X-Request-Id': 'checkout-7f3a' }, failing);
};

/** The file of the store is moved away while the service runs. */
const withoutStore: Provoke = async (operation) => {
  await using place = await makeSqlitePlace();
  await using lost = await openService({ openStore: () => place.open() });
  await rename(place.path, `${place.path}.moved`);
  for (;;) {
    const response = await sendToStore(operation, {}, lost);
    // A moment passes until it is noticed.
    if (response.status === 503) return response;
    await Bun.sleep(20);
  }
};

/** More writes than may wait. Reads wait for nothing, so a failing store has to do for them. */
const withFullQueue: Provoke = async (operation) => {
  if (!writes.includes(operation.operationId)) {
    return withFailure(operation, new PetstoreError('overloaded', 'Too many are waiting.'));
  }
  await using place = await makeSqlitePlace();
  await using busy = await openService({
    openStore: async () => openSqliteStore({ path: place.path, maxQueuedWrites: 1 }),
  });
  await busy.pets.apply(createPet(rex));
  const responses = await Promise.all(Array.from({ length: 20 }, () => sendToStore(operation, {}, busy)));
  return responses.find(({ status }) => status === 503) ?? Response.error();
};

const successes: Record<string, Provoke> = {
  200: change({}),
  // Every other request for a category gives it a name first.
  201: change({ petId: '100' }),
  204: change({}),
  304: change({ headers: { 'If-None-Match': '*' } }),
};

/** Ways to each error. Not every way leads there for every operation. */
const errors: Record<ErrorCode, Provoke[]> = {
  unauthorized: [withAuthorization(null)],
  invalid_api_key: [withAuthorization('Bearer wrong')],
  not_found: [change({ petId: '0' }), change({ petId: 'seven' })],
  method_not_allowed: [change({ method: 'DELETE', petId: '0' }), change({ method: 'PUT' })],
  invalid_parameter: [
    change({ query: [['limit', '0']], headers: { 'Idempotency-Key': '' } }),
    change({ headers: { 'If-Match': 'none' } }),
  ],
  invalid_cursor: [change({ query: [['cursor', 'none']] }), change({ query: [['after', 'none']] })],
  events_gone: [change({ query: [['after', cursorOfAnotherLog]] })],
  invalid_json: [change({ body: '{' })],
  invalid_pet: [
    change({ body: '{"categoryId":1,"status":"adopted"}' }),
    change({ body: '{"name":7,"status":"adopted"}' }),
    change({ body: '{}' }),
  ],
  invalid_category: [change({ body: '{"name":" "}' })],
  request_timeout: [
    async (operation) => {
      await using impatient = await openService({ bodyTimeoutMs: 1 });
      const { path, init } = requestFor(operation);
      return impatient.call(path, { ...init, body: new ReadableStream() });
    },
  ],
  payload_too_large: [change({ body: `"${'x'.repeat(maxBodyBytes)}"` })],
  unsupported_media_type: [change({ contentType: 'text/plain' })],
  idempotency_conflict: [
    async (operation) => {
      const headers = { 'Idempotency-Key': 'again' };
      await sendTo(service, operation, { headers });
      return sendTo(service, operation, { headers, body: '{"name":"Another","categoryId":1}' });
    },
  ],
  precondition_failed: [
    change({ headers: { 'If-Match': '"another"' } }),
    change({ headers: { 'If-None-Match': '*' } }),
    change({ body: '{"status":"sold","expected":{"name":"Somebody"}}' }),
  ],
  forbidden: [withKey({ isReadOnly: true }), withKey({ mayDelete: false })],
  rate_limited: [
    async (operation) => {
      await using limited = await openService({ rateLimit: 1 });
      await sendTo(limited, operation);
      return sendTo(limited, operation);
    },
  ],
  overloaded: [withFullQueue],
  unavailable: [withoutStore],
  internal: [(operation) => withFailure(operation, new Error('disk on fire'))],
};

const errorsOf = ({ responses }: DocumentedOperation): DocumentedError[] =>
  Object.values(responses)
    .flatMap(({ content }) => Object.values(content?.['application/json']?.examples ?? {}))
    .map(({ value }) => value as DocumentedError)
    .filter(({ code }) => code in errors);

const sent = new Map<string, Promise<ErrorBody[]>>();

/** What an operation responds on every way to an error, each of which is tried once. */
function bodiesOf(operation: DocumentedOperation, code: ErrorCode): Promise<ErrorBody[]> {
  const name = `${operation.operationId} ${code}`;
  const bodies = sent.get(name) ?? provokeAll(operation, code);
  sent.set(name, bodies);
  return bodies;
}

async function provokeAll(operation: DocumentedOperation, code: ErrorCode): Promise<ErrorBody[]> {
  const bodies: ErrorBody[] = [];
  for (const provoke of errors[code]) {
    const response = await provoke(operation);
    if (response.status < 400) continue;
    const body = (await response.json()) as ErrorBody;
    expect(body.status).toBe(response.status);
    bodies.push(body);
  }
  return bodies;
}

for (const operation of operations) {
  describe(`${operation.method} ${operation.path}`, () => {
    for (const status of Object.keys(operation.responses).filter((text) => Number(text) < 400)) {
      it(`responds with ${status}`, async () => {
        expect((await successes[status]?.(operation))?.status).toBe(Number(status));
      });
    }

    for (const [code, documented] of Map.groupBy(errorsOf(operation), (error) => error.code)) {
      it(`responds with ${code}, word for word`, async () => {
        const bodies = await bodiesOf(operation, code);
        if (code === 'overloaded' && !writes.includes(operation.operationId)) {
          expect(bodies).toMatchObject([{ code }]);
        } else {
          expect(documented.filter((error) => isAmong(error, bodies))).not.toBeEmpty();
        }
      });
    }

    it('allows the documented methods and no others', async () => {
      const ofPath = operations.filter(({ path }) => path === operation.path);
      const documented = ofPath.map(({ method }) => method);
      const options = await sendTo(service, operation, { method: 'OPTIONS' });
      const allowed = options.headers.get('Allow')?.split(', ');
      const isRead = documented.includes('GET') ? ['HEAD'] : [];
      expect(allowed?.toSorted()).toEqual([...documented, ...isRead, 'OPTIONS'].toSorted());
      const others = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'].filter(
        (name) => !allowed?.includes(name),
      );
      for (const method of others) {
        const response = await sendTo(service, operation, { method });
        expect(response.status).toBe(405);
        expect(response.headers.get('Allow')?.split(', ')).toEqual(allowed);
      }
    });
  });
}

it('every message of an error in the document is one that the service really sends', async () => {
  const all = operations.flatMap((operation) =>
    errorsOf(operation).map(({ code, message }) => ({ operation, code, message })),
  );
  const unsent: string[] = [];
  for (const [message, places] of Map.groupBy(all, (place) => place.message)) {
    const bodies = await Promise.all(places.map(({ operation, code }) => bodiesOf(operation, code)));
    if (!bodies.flat().some((body) => body.message === message)) unsent.push(message);
  }
  expect(unsent).toEqual([]);
});

function isAmong(error: ErrorBody, bodies: ErrorBody[]): boolean {
  return bodies.some((body) => Bun.deepEquals(body, error));
}
