import { describe, expect, it } from 'bun:test';
import { createClient, type PetChanges, type PetstoreClient } from '../src/index.ts';
import { failureOf } from '../../../test/support/failure.ts';
import { openListeningService } from '../../../test/support/http/listening.ts';
import { openScriptedServer, type ScriptedServer } from './scripted-server.ts';

const json = { 'Content-Type': 'application/json' };
const rex = () =>
  new Response('{"id":9223372036854775807,"name":"Rex","categoryId":9007199254740993}', { headers: json });
const noContent = () => new Response(null, { status: 204 });

function operationsOf({ url }: ScriptedServer): PetstoreClient {
  return createClient({ baseUrl: url, apiKey: 'key', retryForMs: 0 });
}

describe('updatePet', () => {
  it.each<[string, PetChanges]>([
    ['{"status":null}', { status: null }],
    ['{"name":""}', { name: '', categoryId: undefined, status: undefined }],
    [
      '{"status":"sold","expected":{"status":"available"}}',
      { status: 'sold', expected: { status: 'available' } },
    ],
    ['{"status":"sold","expected":{"status":null}}', { status: 'sold', expected: { status: undefined } }],
    [
      '{"name":"A","expected":{"name":"B","categoryId":1}}',
      { name: 'A', expected: { name: 'B', categoryId: 1n } },
    ],
    ['{"status":"sold"}', { status: 'sold', expected: undefined }],
  ])('sends %s', async (body, changes) => {
    await using server = openScriptedServer(rex);
    await operationsOf(server).updatePet(1n, changes);
    expect(server.received.map((request) => request.body)).toEqual([body]);
    expect(server.received[0]?.headers.has('If-Match')).toBe(false);
  });
});

it('refuses an empty precondition without sending anything', async () => {
  await using server = openScriptedServer(noContent);
  const client = operationsOf(server);
  const failures = await Promise.all([
    failureOf(client.updatePet(1n, { name: 'A' }, { ifMatch: '' })),
    failureOf(client.putCategory(7n, 'Cats', { ifNoneMatch: '' })),
    failureOf(client.deleteCategory(7n, { ifMatch: '' })),
  ]);
  for (const failure of failures) expect(failure).toBeInstanceOf(TypeError);
  expect(server.received).toEqual([]);
});

describe('an error from a service with --stable-only', () => {
  it('names --stable-only as the reason', async () => {
    await using service = await openListeningService({ stableOnly: true });
    const { client } = service;
    const message = expect.stringContaining('with --stable-only') as string;
    const requestId = expect.stringMatching(/^[0-9a-f-]{36}$/) as string;
    const refused = { code: 'method_not_allowed', status: 405, requestId, message };
    expect(await failureOf(client.updatePet(1n, { name: 'A' }))).toMatchObject(refused);
    expect(await failureOf(client.deletePet(1n))).toMatchObject(refused);
    const missing = { code: 'not_found', status: 404, requestId, message };
    expect(await failureOf(client.listOrders())).toMatchObject(missing);
    expect(await failureOf(client.searchPetsPage({ q: 'rex' }))).toMatchObject(missing);
    expect(await failureOf(client.getKey())).toMatchObject(missing);
    expect(await failureOf(client.listCategories())).toMatchObject(missing);
    expect(await failureOf(client.getCategory(7n))).toMatchObject(missing);
    expect(await failureOf(client.putCategory(7n, 'Cats'))).toMatchObject(missing);
    expect(await failureOf(client.deleteCategory(7n))).toMatchObject(missing);
  });
});
