import { describe, expect, it } from 'bun:test';
import { createClient, isTemporary, type PetstoreClient } from '../src/index.ts';
import { failureOf } from '../../../test/support/failure.ts';
import { openFaultyProxy, type Fault } from '../../../test/support/http/faulty-proxy.ts';
import { errorResponse, openScriptedServer } from './scripted-server.ts';

const pet = () => Response.json({ id: 1, name: 'Rex', categoryId: 1 });
const noContent = () => new Response(null, { status: 204 });
const uncertain: Fault[] = ['cut-response', 'cut-midway', 'cut-request', 502, 503];

/** Operations whose attempts meet these faults in turn, each on a connection of its own. */
async function openOperations(faults: Fault[], ...responses: (() => Response)[]) {
  const server = openScriptedServer(...responses);
  const proxy = await openFaultyProxy(server.port, faults);
  const client = createClient({
    baseUrl: proxy.url,
    apiKey: 'key',
    retryDelayMs: 1,
    fetch: (url, init) => fetch(url, { ...init, keepalive: false }),
  });
  return {
    ...client,
    received: server.received,
    attempts: () => proxy.connections,
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

type Update = (operations: PetstoreClient) => Promise<unknown>;
const updates: [string, Update][] = [
  ['of a pet', (operations) => operations.updatePet(1n, { status: 'sold' }, { ifMatch: '"a"' })],
  ['of a category', (operations) => operations.putCategory(1n, 'Rex', { ifNoneMatch: '*' })],
];

describe.each(updates)('an update %s', (_name, update) => {
  it.each(uncertain)('is not retried after %p, because it may have happened', async (fault) => {
    // A second attempt with a precondition would be refused: the first has changed the pet.
    await using operations = await openOperations([fault], pet, errorResponse(412, 'precondition_failed'));
    const error = await failureOf(update(operations));
    expect(error).not.toHaveProperty('code', 'precondition_failed');
    expect(error).toHaveProperty('message', expect.stringContaining('may have changed'));
    expect(isTemporary(error) || fault === 502).toBe(true);
    expect(operations.attempts()).toBe(1);
  });

  it('is retried after a 429 of a proxy', async () => {
    await using operations = await openOperations([429], pet);
    await update(operations);
    expect(operations.attempts()).toBe(2);
  });

  it.each([
    [408, 'request_timeout'],
    [429, 'rate_limited'],
    [503, 'overloaded'],
  ])('is retried after %d %s, because nothing happened', async (status, code) => {
    await using operations = await openOperations([], errorResponse(status, code), pet);
    await update(operations);
    expect(operations.received).toHaveLength(2);
  });

  it('is not retried after unavailable, which may hide a commit', async () => {
    await using operations = await openOperations([], errorResponse(503, 'unavailable'), pet);
    expect(await failureOf(update(operations))).toMatchObject({ code: 'unavailable', status: 503 });
    expect(operations.received).toHaveLength(1);
  });
});

describe.each(['deletePet', 'deleteCategory'] as const)('%s', (remove) => {
  const gone = errorResponse(404, 'not_found', { 'Petstore-Stability': 'experimental' });

  it.each(['cut-response', 'cut-midway'] as const)('succeeds if it is gone after %s', async (fault) => {
    await using operations = await openOperations([fault], noContent, gone);
    expect(await operations[remove](1n, { ifMatch: '"a"' })).toBeUndefined();
    expect(operations.received).toHaveLength(2);
  });

  it('reports what is missing after an attempt without effect', async () => {
    await using operations = await openOperations([], errorResponse(429, 'rate_limited'), gone);
    expect(await failureOf(operations[remove](1n))).toMatchObject({ code: 'not_found' });
  });

  it('reports that it has changed, even if the first response was lost', async () => {
    const changed = errorResponse(412, 'precondition_failed');
    await using operations = await openOperations(['cut-response'], changed);
    const deletion = operations[remove](1n, { ifMatch: '"a"' });
    expect(await failureOf(deletion)).toMatchObject({ code: 'precondition_failed' });
  });
});

it('a delete of a category is not done if the service has no categories, even after a lost response', async () => {
  const missing = errorResponse(404, 'not_found');
  await using operations = await openOperations(['cut-response'], missing);
  expect(await failureOf(operations.deleteCategory(1n))).toMatchObject({
    code: 'not_found',
    message: expect.stringContaining('--stable-only'),
  });
  expect(operations.received).toHaveLength(2);
});
