import { afterEach, beforeEach, describe, expect, it } from 'bun:test';
import { ResponseCache } from '../../src/http/cache.ts';
import { cacheable } from '../../src/http/conditional.ts';
import type { PlainResponse } from '../../src/http/response.ts';
import type { PageRequest, PetStore } from '../../src/pet.ts';
import { openSqliteStore } from '../../src/sqlite/open.ts';
import { addPet, addPets, idsOf, nextQuery, outcomeOf } from '../support/http/calls.ts';
import { openService, type Service, type ServiceOptions, type Store } from '../support/http/service.ts';
import { makeSqlitePlace, type SqlitePlace } from '../support/store-place.ts';

const tinyPage = '[{"id":1,"name":"Rex","categoryId":1}]';

/** A cache over a store whose version and page the test sets; counts how often a page was read. */
function createCache(page = tinyPage) {
  const store: { version: number | undefined; page: string; reads: number } = { version: 1, page, reads: 0 };
  const cache = new ResponseCache(() => store.version, { 'X-Base': 'base' });
  const request = (pageRequest: PageRequest): PlainResponse =>
    cache.respond(pageRequest, () => {
      store.reads += 1;
      return cacheable(store.page, { Link: 'next' });
    }) as PlainResponse;
  return { cache, store, request };
}

describe('the response cache', () => {
  it('keeps a first page at once', () => {
    const { store, request } = createCache();
    for (const filter of [{}, { status: 'sold' as const }]) {
      store.reads = 0;
      for (let count = 0; count < 5; count++) request({ limit: 20, ...filter });
      expect(store.reads).toBe(1);
    }
  });

  it('keeps a page behind a cursor when it is requested again, whatever the cursor', () => {
    const { store, request } = createCache();
    for (const after of [7n, 0n, -1n, -(2n ** 63n), 2n ** 53n + 1n, 2n ** 63n - 1n]) {
      store.reads = 0;
      for (let count = 0; count < 5; count++) request({ limit: 20, after });
      expect(store.reads).toBe(2);
    }
  });

  it('keeps no page of a walk', () => {
    const { store, request } = createCache();
    for (let after = 0n; after < 10_000n; after++) request({ limit: 1, after });
    expect(store.reads).toBe(10_000);
    request({ limit: 1, after: 3n });
    expect(store.reads).toBe(10_001);
  });

  it('tells apart limits, filters and cursors', () => {
    const { store, request } = createCache();
    const requests: PageRequest[] = [{ limit: 1 }, { limit: 11 }, { limit: 1, status: 'sold' }];
    requests.push({ limit: 1, after: 1n }, { limit: 1, after: 11n }, { limit: 1, status: 'sold', after: 1n });
    for (const [index, pageRequest] of [...requests, ...requests].entries()) {
      store.page = `[${index % requests.length}]`;
      request(pageRequest);
    }
    for (const [index, pageRequest] of requests.entries()) {
      expect(request(pageRequest).body).toBe(`[${index}]`);
    }
  });

  it('drops every response when the version changes', () => {
    const { store, request } = createCache();
    const requests: PageRequest[] = [{ limit: 1 }, { limit: 2, status: 'sold' }];
    for (const pageRequest of requests) request(pageRequest);
    for (const version of [2, 3, 1]) {
      store.version = version;
      store.page = `[${version}]`;
      for (const pageRequest of requests) expect(request(pageRequest).body).toBe(`[${version}]`);
    }
  });

  it('does not serve again what was read during a commit', () => {
    const { cache, store, request } = createCache();
    void cache.respond({ limit: 20 }, () => {
      // Whether the page was read before or after the commit, nobody knows.
      store.version = 2;
      return cacheable('["old"]');
    });
    expect(request({ limit: 20 }).body).toBe(tinyPage);
  });

  it('keeps nothing for a store whose version is unknown', () => {
    const { store, request } = createCache();
    store.version = undefined;
    for (let count = 0; count < 5; count++) request({ limit: 20 });
    expect(store.reads).toBe(5);
  });

  it('serves nothing old after the version was unknown for a while', () => {
    const { store, request } = createCache('["old"]');
    request({ limit: 20 });
    store.version = undefined;
    request({ limit: 20 });
    store.version = 2;
    store.page = '["new"]';
    expect(request({ limit: 20 }).body).toBe('["new"]');
  });

  it('serves nothing while the version cannot be read', () => {
    const { store, request } = createCache();
    request({ limit: 20 });
    Object.defineProperty(store, 'version', {
      get() {
        throw new Error('moved');
      },
    });
    expect(() => request({ limit: 20 })).toThrow('moved');
  });

  it('keeps no empty page', () => {
    const { store, request } = createCache('[]');
    for (let count = 0; count < 5; count++) {
      request({ limit: 20 });
      request({ limit: 20, after: 7n });
    }
    expect(store.reads).toBe(10);
  });

  it('counts what a response costs besides its body', () => {
    const { store, request } = createCache();
    const keep = (after: bigint) => [request({ limit: 1, after }), request({ limit: 1, after })];
    for (let after = 1n; after < 10_000n; after++) keep(after);
    const before = store.reads;
    // The bodies of ten thousand tiny pages are short, but their headers and keys are not: the first has made room.
    keep(1n);
    expect(store.reads - before).toBe(2);
  });

  it('bounds the bytes of all bodies together', () => {
    const { store, request } = createCache(`["${'犬'.repeat(1024 * 1024)}"]`);
    for (let limit = 1; limit <= 3; limit++) request({ limit });
    // Two bodies of 3 MiB fit into 8 MiB, a third made room for itself.
    request({ limit: 3 });
    expect(store.reads).toBe(3);
    request({ limit: 1 });
    expect(store.reads).toBe(4);
  });

  it('does not keep a body that is larger than the bound, and drops nothing for it', () => {
    const { store, request } = createCache();
    request({ limit: 1 });
    store.page = `["${'x'.repeat(9 * 1024 * 1024)}"]`;
    request({ limit: 2 });
    request({ limit: 2 });
    expect(store.reads).toBe(3);
    expect(request({ limit: 1 }).body).toBe(tinyPage);
    expect(store.reads).toBe(3);
  });

  it.each([
    ['short ASCII as text', tinyPage, true],
    ['wide text as bytes', '[{"id":1,"name":"Zoë 🐈","categoryId":1}]', false],
    ['long text as bytes', `["${'x'.repeat(100_000)}"]`, false],
  ])('keeps %s, without changing it', (_form, page, isText) => {
    const { request } = createCache(page);
    const [first, second] = [request({ limit: 1 }), request({ limit: 1 })];
    expect(second).toBe(first);
    expect(typeof second.body === 'string').toBe(isText);
    expect(Buffer.from(second.body ?? '').toString()).toBe(page);
  });

  it('puts all headers of a kept response together', () => {
    const { request } = createCache();
    const { etag = '', completeHeaders = new Headers() } = request({ limit: 1 });
    expect(Object.fromEntries(completeHeaders)).toEqual({
      'x-base': 'base',
      'cache-control': 'private, no-cache',
      link: 'next',
      etag,
    });
  });
});

/** The real services below run on SQLite, whatever TEST_STORE says: PostgreSQL keeps nothing. */
describe('a list that is served from the cache', () => {
  let place: SqlitePlace;
  let services: Service[];
  beforeEach(async () => {
    place = await makeSqlitePlace();
    services = [];
  });
  afterEach(async () => {
    for (const service of services) await service.close();
    await place[Symbol.asyncDispose]();
  });

  /** A service on the file of the test, which counts how many pages are read from it. */
  async function open(options: ServiceOptions = {}): Promise<Service & { reads: () => number }> {
    let reads = 0;
    const openStore = async (): Promise<Store> => {
      const store = openSqliteStore({ path: place.path });
      const listPets: PetStore['listPets'] = (request) => {
        reads += 1;
        return store.pets.listPets(request);
      };
      return { ...store, pets: { ...store.pets, listPets } };
    };
    const service = { ...(await openService({ openStore, ...options })), reads: () => reads };
    services.push(service);
    return service;
  }

  const headersOf = ({ headers }: Response): [string, string][] =>
    [...headers].filter(([name]) => !['date', 'x-request-id'].includes(name));

  it('has the headers and the body of the first response', async () => {
    const { call, reads } = await open();
    await addPets(call, 3);
    for (const query of ['?limit=2', '?limit=3', '?limit=2&status=sold']) {
      const before = reads();
      const first = await call(`/v1/pets${query}`);
      const second = await call(`/v1/pets${query}`);
      expect(reads() - before).toBe(query.includes('sold') ? 2 : 1);
      expect(headersOf(second)).toEqual(headersOf(first));
      expect(await second.text()).toBe(await first.text());
    }
  });

  it('has the same headers behind a cursor, read, read again and kept', async () => {
    const { call, reads } = await open();
    await addPets(call, 5);
    const query = nextQuery(await call('/v1/pets?limit=2')) ?? '';
    const before = reads();
    const responses = [];
    for (let count = 0; count < 4; count++) responses.push(await call(`/v1/pets${query}`));
    expect(reads() - before).toBe(2);
    for (const response of responses) expect(headersOf(response)).toEqual(headersOf(responses[0]!));
  });

  it('has the request id, rate limit and origin of its own request', async () => {
    const origins = ['https://one.example', 'https://two.example'];
    const { call, reads } = await open({ requestsPerMinute: 100, allowedOrigins: origins });
    await addPet(call);
    const left = new Set<string | null>();
    for (const origin of [...origins, ...origins]) {
      const id = crypto.randomUUID();
      const { headers } = await call('/v1/pets', { headers: { 'X-Request-Id': id, Origin: origin } });
      expect(headers.get('X-Request-Id')).toBe(id);
      expect(headers.get('Access-Control-Allow-Origin')).toBe(origin);
      left.add(headers.get('RateLimit'));
    }
    expect(left.size).toBe(4);
    expect((await call('/v1/pets')).headers.has('Access-Control-Allow-Origin')).toBe(false);
    expect(reads()).toBe(1);
  });

  it('is conditional, and a HEAD of it has no body', async () => {
    const { call, reads } = await open();
    await addPet(call);
    const whole = await call('/v1/pets');
    const etag = whole.headers.get('ETag') ?? '';
    const body = await whole.text();
    const held = await call('/v1/pets', { headers: { 'If-None-Match': etag } });
    expect([held.status, await held.text(), held.headers.get('Content-Type')]).toEqual([304, '', null]);
    expect(held.headers.get('ETag')).toBe(etag);
    expect(await outcomeOf(call('/v1/pets', { headers: { 'If-Match': '"a"' } }))).toBe(
      '412 precondition_failed',
    );
    const head = await call('/v1/pets', { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect(head.headers.get('Content-Length')).toBe(String(body.length));
    expect(await (await call('/v1/pets')).text()).toBe(body);
    expect(reads()).toBe(1);
  });

  it('shows a create of another connection at once', async () => {
    const [one, other] = [await open(), await open()];
    for (let count = 1; count <= 50; count++) {
      const id = await addPet(count % 2 === 0 ? one.call : other.call);
      for (const { call } of [one, other, one]) {
        expect(idsOf(await (await call('/v1/pets?limit=100')).text()).at(-1)).toBe(id);
      }
    }
  });

  it('shows a create of another process at once', async () => {
    const { call } = await open();
    const create = `
      const { openSqliteStore } = await import(process.argv[1]);
      const store = openSqliteStore({ path: process.argv[2] });
      await store.pets.createPet({ name: 'Rex', categoryId: 1n });
      await store.close();`;
    const module = new URL('../../src/sqlite/open.ts', import.meta.url).href;
    for (let count = 1; count <= 3; count++) {
      await call('/v1/pets');
      expect(Bun.spawnSync([process.execPath, '-e', create, module, place.path]).exitCode).toBe(0);
      expect(idsOf(await (await call('/v1/pets')).text())).toHaveLength(count);
    }
  });

  it('shows a create in the next response, while nobody else commits', async () => {
    const { call, reads } = await open();
    for (let count = 1; count <= 10; count++) {
      await addPet(call);
      for (let time = 0; time < 3; time++) {
        expect(idsOf(await (await call('/v1/pets')).text())).toHaveLength(count);
      }
      expect(reads()).toBe(count);
    }
  });
});
