import { afterAll, describe, expect, it } from 'bun:test';
import { createClient, type DeprecationNotice, type Pet, type PetstoreClient } from '../src/index.ts';
import { failureOf } from '../../../test/support/failure.ts';
import { openListeningService } from '../../../test/support/http/listening.ts';
import { openScriptedServer } from './scripted-server.ts';

const smallest = -(2n ** 63n);
const largest = 2n ** 63n - 1n;

const service = await openListeningService();
afterAll(() => service[Symbol.asyncDispose]());

describe('createClient', () => {
  it('accepts an address with and without /v1 and a trailing slash', async () => {
    for (const baseUrl of [service.url, `${service.url}/`, `${service.url}/v1`, `${service.url}/v1/`]) {
      const client = service.clientWith({ baseUrl });
      expect((await client.listPets({ limit: 1 })).pets.length).toBeLessThanOrEqual(1);
    }
  });

  it('refuses an address without a scheme', () => {
    for (const baseUrl of ['127.0.0.1:8080', 'localhost:8080', 'shop.example', '']) {
      expect(() => service.clientWith({ baseUrl })).toThrow('baseUrl must start with http:// or https://');
    }
  });

  it('refuses an address with a password, without repeating it', () => {
    const refused = () => service.clientWith({ baseUrl: 'http://till:hunter2@127.0.0.1' });
    expect(refused).toThrow('baseUrl must not contain a user name or a password.');
  });

  it('refuses a missing key before it sends anything', () => {
    for (const apiKey of [undefined as unknown as string, '', ' ']) {
      expect(() => service.clientWith({ apiKey })).toThrow(new TypeError('apiKey must not be empty.'));
    }
  });
});

describe('createPet', () => {
  it('keeps every digit and every character in both directions', async () => {
    const names = ['Rex', '', '"id":12345678901234567890', '\\"', '🐕‍🦺\u0007\u2028', '  ', '</script>'];
    const categories = [smallest, -(2n ** 53n) - 1n, -1n, 0n, 1n, 2n ** 53n + 1n, largest];
    for (const [index, categoryId] of categories.entries()) {
      const pet = { name: names[index]!, categoryId, status: 'pending' as const };
      const created = await service.client.createPet(pet);
      expect(created).toEqual({ ...pet, id: created.id });
      expect(typeof created.id).toBe('bigint');
      expect(await service.client.getPet(created.id)).toMatchObject(created);
    }
  });
});

describe('listPets and pets', () => {
  it('visits every page once, in order, with the filter', async () => {
    await using fresh = await openListeningService();
    const created: Pet[] = [];
    for (let count = 0; count < 25; count++) {
      const status = count % 2 === 0 ? 'available' : 'sold';
      created.push(await fresh.client.createPet({ name: `Pet ${count}`, categoryId: largest, status }));
    }
    const walked = await Array.fromAsync(fresh.client.pets({ limit: 4 }));
    expect(walked).toEqual(created);
    const sold = await Array.fromAsync(fresh.client.pets({ status: 'sold', limit: 5 }));
    expect(sold).toEqual(created.filter(({ status }) => status === 'sold'));

    const first = await fresh.client.listPets({ limit: 24 });
    const last = await fresh.client.listPets({ next: first.next! });
    expect([...first.pets, ...last.pets]).toEqual(created);
    expect(last).not.toHaveProperty('next');
  });

  it.each([1, 2, 3])('stops at once when it is aborted after %d of 3 pets', async (count) => {
    await using fresh = await openListeningService();
    for (const name of ['A', 'B', 'C']) await fresh.client.createPet({ name, categoryId: 1n });
    const controller = new AbortController();
    const seen: string[] = [];
    const walk = async () => {
      for await (const { name } of fresh.client.pets({ signal: controller.signal })) {
        seen.push(name);
        if (seen.length === count) controller.abort(new Error('closed'));
      }
    };
    expect(await failureOf(walk())).toHaveProperty('message', 'closed');
    expect(seen).toEqual(['A', 'B', 'C'].slice(0, count));
  });

  it('never sends the key to an address named by a page or a caller', async () => {
    const elsewhere = service.clientWith({
      fetch: async () =>
        new Response('[]', { headers: { Link: '<https://elsewhere.example/?cursor=1>; rel="next"' } }),
    });
    expect(await failureOf(elsewhere.listPets())).toMatchObject({ code: 'unexpected_response' });
    expect(await failureOf(service.client.listPets({ next: '.elsewhere.example/' }))).toBeInstanceOf(
      TypeError,
    );
  });
});

describe('onDeprecation', () => {
  it("is called once per operation with the service's notice", async () => {
    const notices: DeprecationNotice[] = [];
    const client = service.clientWith({ onDeprecation: (notice) => notices.push(notice) });
    const { id } = await client.createPet({ name: 'Old', categoryId: 1n });
    await client.getPet(id);
    await client.getPet(id);
    await client.listPets();
    expect(notices).toEqual([
      {
        operation: 'getPet',
        deprecatedAt: new Date('2026-11-14T00:00:00Z'),
        sunsetAt: new Date('2030-12-05T00:00:00Z'),
        documentation: `${service.url}/docs#deprecation`,
        successor: `${service.url}/v1/pets`,
      },
    ]);
  });
});

describe('onDeprecation with a baseUrl that is a path', () => {
  const noticeOf = async () => {
    const notices: DeprecationNotice[] = [];
    const client = service.clientWith({
      baseUrl: '/shop',
      fetch: (url, init) => fetch(service.url + url.replace('/shop', ''), init),
      onDeprecation: (notice) => notices.push(notice),
    });
    const { id } = await service.client.createPet({ name: 'Old', categoryId: 1n });
    expect(await client.getPet(id)).toMatchObject({ name: 'Old' });
    return notices[0];
  };

  it('names paths where there is no page', async () => {
    expect(await noticeOf()).toMatchObject({ documentation: '/docs#deprecation', successor: '/v1/pets' });
  });

  it('names addresses of the host of a page', async () => {
    const names = globalThis as { location?: unknown };
    names.location = { href: 'https://shop.example/till' };
    try {
      expect(await noticeOf()).toMatchObject({
        documentation: 'https://shop.example/docs#deprecation',
        successor: 'https://shop.example/v1/pets',
      });
    } finally {
      delete names.location;
    }
  });
});

describe('an id that is not a bigint', () => {
  const calls: Record<string, (client: PetstoreClient, id: bigint) => Promise<unknown>> = {
    'createPet as a categoryId': (client, categoryId) => client.createPet({ name: 'Rex', categoryId }),
    getPet: (client, id) => client.getPet(id),
    updatePet: (client, id) => client.updatePet(id, { name: 'A' }),
    deletePet: (client, id) => client.deletePet(id),
    'updatePet as a categoryId': (client, categoryId) => client.updatePet(1n, { categoryId }),
    'updatePet as an expected categoryId': (client, categoryId) =>
      client.updatePet(1n, { name: 'A', expected: { categoryId } }),
    putCategory: (client, id) => client.putCategory(id, 'Cats'),
    deleteCategory: (client, id) => client.deleteCategory(id),
    'searchPets by id': (client, id) => Array.fromAsync(client.searchPets({ id })),
    'searchPetsPage by categoryId': (client, categoryId) => client.searchPetsPage({ categoryId }),
    'orders of a petId': (client, petId) => Array.fromAsync(client.orders({ petId })),
    'listOrders of a petId': (client, petId) => client.listOrders({ petId }),
  };

  it.each(Object.entries(calls))('is refused by %s before anything is sent', async (_name, call) => {
    const client = service.clientWith({
      retryForMs: 0,
      fetch: () => Promise.reject(new Error('It was sent.')),
    });
    for (const id of ['../key', '1', 1, null]) {
      const refusal = await failureOf(call(client, id as unknown as bigint));
      expect(refusal).toBeInstanceOf(TypeError);
      expect(refusal).toHaveProperty('message', expect.stringMatching(/must be a bigint, such as 7n/));
    }
  });
});

describe('a redirect', () => {
  it('is not followed by a change', async () => {
    await using elsewhere = openScriptedServer(() => Response.json({ id: 1, name: 'Rex', categoryId: 1 }));
    await using server = openScriptedServer(() => redirectTo(elsewhere.url));
    const client = createClient({ baseUrl: server.url, apiKey: 'key', retryDelayMs: 1 });
    expect(await failureOf(client.createPet({ name: 'Rex', categoryId: 1n }))).toMatchObject({
      code: 'unexpected_response',
      status: 307,
      message: expect.stringContaining('does not send a change to another address'),
    });
    expect(server.received).toHaveLength(1);
    expect(elsewhere.received).toEqual([]);
  });

  it('is followed by a read', async () => {
    await using elsewhere = openScriptedServer(() => new Response('[]'));
    await using server = openScriptedServer(() => redirectTo(elsewhere.url));
    const client = createClient({ baseUrl: server.url, apiKey: 'key' });
    expect(await client.listPets()).toEqual({ pets: [] });
  });

  function redirectTo(url: string): Response {
    return new Response(null, { status: 307, headers: { Location: `${url}/v1/pets` } });
  }
});

describe('the ETag of a pet', () => {
  it('comes with getPet and updatePet, and makes the next change conditional', async () => {
    const { id } = await service.client.createPet({ name: 'Rex', categoryId: 1n });
    const seen = await service.client.getPet(id);
    const renamed = await service.client.updatePet(id, { name: 'Max' }, { ifMatch: seen.etag });
    expect(renamed.name).toBe('Max');
    expect(new Set([seen.etag, renamed.etag, undefined]).size).toBe(3);
    expect(await failureOf(service.client.deletePet(id, { ifMatch: seen.etag }))).toMatchObject({
      code: 'precondition_failed',
    });
    await service.client.deletePet(id, { ifMatch: renamed.etag });
  });

  it('is absent if the service or a proxy left it out', async () => {
    const body = '{"id":1,"name":"Rex","categoryId":1}';
    const client = service.clientWith({ fetch: async () => new Response(body) });
    expect(await client.getPet(1n)).toEqual({ id: 1n, name: 'Rex', categoryId: 1n });
  });
});
