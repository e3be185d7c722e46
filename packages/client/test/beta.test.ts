import { describe, expect, it } from 'bun:test';
import { createClient, type PetChanges, type PetstoreClient } from '../src/index.ts';
import { failureOf } from '../../../test/support/failure.ts';
import { openListeningService } from '../../../test/support/http/listening.ts';
import { openScriptedServer, type ScriptedServer } from '../../../test/support/http/scripted-server.ts';

const largest = 2n ** 63n - 1n;
const json = { 'Content-Type': 'application/json' };
const rex = () =>
  new Response('{"id":9223372036854775807,"name":"Rex","categoryId":9007199254740993}', { headers: json });
const noContent = () => new Response(null, { status: 204 });

function operationsOf({ url }: ScriptedServer): PetstoreClient {
  return createClient({ baseUrl: url, apiKey: 'key', retryForMs: 0 });
}

describe('updatePet', () => {
  it('sends every digit and reads every digit', async () => {
    await using server = openScriptedServer(rex);
    const changes: PetChanges = { name: 'Re"x', categoryId: -(2n ** 63n), status: 'sold' };
    const pet = await operationsOf(server).updatePet(largest, changes, { ifMatch: '"a"' });
    expect(pet).toEqual({ id: largest, name: 'Rex', categoryId: 2n ** 53n + 1n });
    const [{ line, headers, body } = { line: '', headers: new Headers(), body: '' }] = server.received;
    expect(line).toBe('PATCH /v1/pets/9223372036854775807');
    expect(headers.get('Content-Type')).toBe('application/json');
    expect(headers.get('If-Match')).toBe('"a"');
    expect(headers.get('Authorization')).toBe('Bearer key');
    expect(body).toBe('{"name":"Re\\"x","categoryId":-9223372036854775808,"status":"sold"}');
  });

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

  it('refuses a value of the wrong type without sending it', async () => {
    await using server = openScriptedServer(rex);
    const client = operationsOf(server);
    const number = 1 as unknown as bigint;
    const failures = await Promise.all([
      failureOf(client.updatePet(1n, { categoryId: number })),
      failureOf(client.updatePet(1n, { name: 'A', expected: { categoryId: number } })),
      failureOf(client.updatePet(1n, { name: 'A' }, { ifMatch: '' })),
    ]);
    for (const failure of failures) expect(failure).toBeInstanceOf(TypeError);
    expect(server.received).toEqual([]);
  });
});

describe('deletePet', () => {
  it('sends a delete and returns nothing', async () => {
    await using server = openScriptedServer(noContent);
    const operations = operationsOf(server);
    expect(await operations.deletePet(largest)).toBeUndefined();
    await operations.deletePet(-1n, { ifMatch: '*' });
    expect(server.received.map(({ line, headers }) => [line, headers.get('If-Match')])).toEqual([
      ['DELETE /v1/pets/9223372036854775807', null],
      ['DELETE /v1/pets/-1', '*'],
    ]);
  });

  it('refuses a success that does not come from this API', async () => {
    await using server = openScriptedServer(() => new Response('<h1>Welcome</h1>'));
    expect(await failureOf(operationsOf(server).deletePet(1n))).toMatchObject({
      code: 'unexpected_response',
    });
  });
});

describe('orders and listOrders', () => {
  const orders = [
    '{"id":1,"petId":9223372036854775807,"status":"pending","createdAt":"2026-11-16T10:00:00.123Z"}',
    '{"id":9223372036854775807,"petId":2,"status":"sold","createdAt":"2026-11-16T10:00:01Z"}',
  ];
  const read = [
    { id: 1n, petId: largest, status: 'pending' as const, createdAt: new Date('2026-11-16T10:00:00.123Z') },
    { id: largest, petId: 2n, status: 'sold' as const, createdAt: new Date('2026-11-16T10:00:01Z') },
  ];
  const page = (body: string, next?: string) => () =>
    new Response(body, { headers: next === undefined ? {} : { Link: `<${next}>; rel="next"` } });

  it('iterates over all pages', async () => {
    await using server = openScriptedServer(
      page(`[${orders[0]}]`, '?limit=1&cursor=x'),
      page(`[${orders[1]}]`),
    );
    const walk = operationsOf(server).orders({ status: 'sold', limit: 1 });
    expect(await Array.fromAsync(walk)).toEqual(read);
    expect(server.received.map(({ line }) => line)).toEqual([
      'GET /v1/store/orders?limit=1&status=sold',
      'GET /v1/store/orders?limit=1&cursor=x',
    ]);
  });

  it('gets one page of a search and the cursor of the next', async () => {
    await using server = openScriptedServer(page('[]', '?cursor=y'), page('[]'));
    const operations = operationsOf(server);
    expect(await operations.searchPetsPage({ q: 'rex', id: 7n })).toEqual({ pets: [], next: '?cursor=y' });
    expect(await operations.searchPetsPage({ next: '?cursor=y' })).toEqual({ pets: [] });
    expect(server.received.map(({ line }) => line)).toEqual([
      'GET /v1/pets/search?q=rex&id=7',
      'GET /v1/pets/search?cursor=y',
    ]);
  });

  it.each([
    '{}',
    '[{"id":1}]',
    `[${orders[1]!.replace('sold', 'available')}]`,
    `[${orders[1]!.replace('2026', 'when')}]`,
  ])('refuses a list that does not come from this API: %s', async (body) => {
    await using server = openScriptedServer(page(body));
    expect(await failureOf(operationsOf(server).listOrders())).toMatchObject({ code: 'unexpected_response' });
  });
});

describe('the categories', () => {
  it('refuses a value of the wrong type without sending it', async () => {
    await using server = openScriptedServer(noContent);
    const client = operationsOf(server);
    const path = '7/../../pets/1' as unknown as bigint;
    const failures = await Promise.all([
      failureOf(client.putCategory(path, 'Cats')),
      failureOf(client.putCategory(7n, 'Cats', { ifNoneMatch: '' })),
      failureOf(client.deleteCategory(path)),
      failureOf(client.deleteCategory(7n, { ifMatch: '' })),
    ]);
    for (const failure of failures) expect(failure).toBeInstanceOf(TypeError);
    expect(server.received).toEqual([]);
  });

  it('refuses a category that does not come from this API', async () => {
    await using server = openScriptedServer(() => Response.json({ id: '7', name: 'Cats' }));
    const refused = { code: 'unexpected_response' };
    expect(await failureOf(operationsOf(server).putCategory(7n, 'Cats'))).toMatchObject(refused);
  });
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
  });
});
