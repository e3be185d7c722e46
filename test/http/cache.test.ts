import { describe, expect, it } from 'bun:test';
import { type Caller, createAuthentication } from '../../src/http/authentication.ts';
import { createCache } from '../../src/http/cache.ts';
import type { Representation } from '../../src/http/response.ts';
import type { Call } from '../../src/http/route.ts';
import { issueKey } from '../../src/stores/issue-key.ts';
import { addPets } from '../support/http/calls.ts';
import { openService, openTemporarySqlite, silentLog } from '../support/http/service.ts';

const address = 'http://localhost/v1/pets';

/** A list before which a cache stands; the test sets the store's version and what is read. */
function createKeptList() {
  const store: { version: number | undefined; page: string; reads: number } = {
    version: 1,
    page: '["first"]',
    reads: 0,
  };
  const read = async () => {
    const { page } = store;
    store.reads += 1;
    await Promise.resolve();
    return { body: page };
  };
  const cache = createCache({ version: () => store.version }, Date.now);
  const list = cache.firstPages(read);
  const request = async (query = ''): Promise<Representation> =>
    list({ request: new Request(address + query) } as Call);
  return { store, request };
}

describe('a kept page', () => {
  it('is read once for each address', async () => {
    const { store, request } = createKeptList();
    const queries = ['', '?limit=1', '?limit=11', '?limit=1&status=sold'];
    for (const [index, query] of queries.entries()) {
      store.page = `[${index}]`;
      for (let count = 0; count < 3; count++) expect((await request(query)).body).toBe(`[${index}]`);
    }
    expect(store.reads).toBe(queries.length);
  });

  it('is the first of its list', async () => {
    const { store, request } = createKeptList();
    for (let count = 0; count < 3; count++) await request('?cursor=a');
    expect(store.reads).toBe(3);
  });

  it('is dropped when the version changes, and while it is unknown', async () => {
    const { store, request } = createKeptList();
    for (const version of [1, 2, 1, undefined, 1]) {
      store.version = version;
      store.page = `[${version}]`;
      for (const query of ['', '?limit=1']) expect((await request(query)).body).toBe(`[${version}]`);
    }
    store.version = undefined;
    store.reads = 0;
    for (let count = 0; count < 3; count++) await request();
    expect(store.reads).toBe(3);
  });

  it('is not one that was read before the last commit', async () => {
    const { store, request } = createKeptList();
    const late = request();
    store.version = 2;
    store.page = '["second"]';
    await request('?limit=1');
    expect((await late).body).toBe('["first"]');
    expect((await request()).body).toBe('["second"]');
  });

  it('is dropped when all together are too large, and never added if it is too large alone', async () => {
    const { store, request } = createKeptList();
    store.page = 'x'.repeat(3 * 1024 * 1024);
    for (const query of ['?limit=1', '?limit=2', '?limit=3', '?limit=3']) await request(query);
    expect(store.reads).toBe(3);
    await request('?limit=1');
    expect(store.reads).toBe(4);
    store.page = 'x'.repeat(9 * 1024 * 1024);
    for (let count = 0; count < 2; count++) await request('?limit=4');
    expect(store.reads).toBe(6);
    await request('?limit=1');
    expect(store.reads).toBe(6);
  });
});

describe('a response from the cache', () => {
  it('is the first one, with the request id, rate limit and origin of its own request', async () => {
    const store = await openTemporarySqlite();
    let reads = 0;
    const listPets: typeof store.pets.listPets = (query) => {
      reads += 1;
      return store.pets.listPets(query);
    };
    const origins = ['https://one.example', 'https://two.example'];
    await using service = await openService({
      openStore: async () => ({ ...store, pets: { ...store.pets, listPets } }),
      ...{ rateLimit: 100, allowedOrigins: origins },
    });
    await addPets(service.call, 3);
    for (const query of ['', '?limit=2', '?limit=2&status=sold']) {
      const pages: unknown[] = [];
      const limits = new Set<string | null>();
      for (const origin of origins) {
        const requestId = `from-${origin}`;
        const headers = { Origin: origin, 'X-Request-Id': requestId };
        const response = await service.call(`/v1/pets${query}`, { headers });
        expect(response.headers.get('X-Request-Id')).toBe(requestId);
        expect(response.headers.get('Access-Control-Allow-Origin')).toBe(origin);
        limits.add(response.headers.get('RateLimit'));
        for (const name of ['X-Request-Id', 'Access-Control-Allow-Origin', 'RateLimit'])
          response.headers.delete(name);
        pages.push([[...response.headers], await response.text()]);
      }
      expect(pages[1]).toEqual(pages[0]);
      expect(limits.size).toBe(2);
    }
    expect(reads).toBe(3);
  });
});

describe('a kept caller', () => {
  const till: Caller = { hash: 'a', name: 'till', isReadOnly: true, mayDelete: false };

  it('is found again after a commit, and once its key has expired', async () => {
    let [time, version, finds] = [0, 1, 0];
    const cache = createCache({ version: () => version }, () => time);
    const find = cache.callers(() => {
      finds += 1;
      return { ...till, expiresAt: new Date(10) };
    });
    for (let count = 0; count < 3; count++) await find('Bearer a');
    expect(finds).toBe(1);
    version = 2;
    await find('Bearer a');
    expect(finds).toBe(2);
    for (time of [9, 10, 11]) await find('Bearer a');
    expect(finds).toBe(4);
  });

  it('is found once for the requests of a turn, on a store that responds at once', async () => {
    await using stack = new AsyncDisposableStack();
    const { keys } = stack.adopt(await openTemporarySqlite(), (store) => store.close());
    const { text } = await issueKey(keys, { name: 'till', now: new Date() });
    let finds = 0;
    const findKey = (hash: string) => {
      finds += 1;
      return keys.findKey(hash);
    };
    const { callers } = createCache({ version: () => 1 }, Date.now);
    const authenticate = createAuthentication({ ...keys, findKey }, [], {
      ...{ log: silentLog, now: Date.now, remember: callers },
    });
    const request = new Request(address, { headers: { Authorization: `Bearer ${text}` } });
    await Promise.all([authenticate(request), authenticate(request), authenticate(request)]);
    expect(finds).toBe(1);
  });

  it('is kept for less than a second where the version is unknown', async () => {
    let isRevoked = false;
    const cache = createCache({ version: () => undefined }, Date.now);
    const find = cache.callers(() => {
      if (isRevoked) throw new Error('revoked');
      return till;
    });
    expect(await find('Bearer a')).toBe(till);
    isRevoked = true;
    await Bun.sleep(801);
    expect(() => find('Bearer a')).toThrow('revoked');
  });
});
