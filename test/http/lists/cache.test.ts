import { describe, expect, it } from 'bun:test';
import { PageCache } from '../../../src/http/lists/list.ts';
import type { Representation } from '../../../src/http/response.ts';
import type { ListRequest } from '../../../src/http/lists/paging.ts';

const tinyPage = '[{"id":1,"name":"Rex","categoryId":1}]';

/** A cache over a store whose version and page the test sets; counts how often a page was read. */
function createCache(page = tinyPage) {
  const store: { version: number | undefined; page: string; reads: number } = { version: 1, page, reads: 0 };
  const cache = new PageCache();
  const request = (asked: ListRequest): Representation => {
    const { version } = store;
    const kept = cache.get(asked, version);
    if (kept) return kept;
    store.reads += 1;
    const read = { body: store.page, etag: '"tag"', link: 'next' };
    cache.put(asked, version, read);
    return read;
  };
  return { cache, store, request };
}

describe('the cache of pages', () => {
  it('keeps a first page at once', () => {
    const { store, request } = createCache();
    for (const filter of [{}, { status: 'sold' as const }]) {
      store.reads = 0;
      for (let count = 0; count < 5; count++) request({ limit: 20, ...filter });
      expect(store.reads).toBe(1);
    }
  });

  it('keeps no page after a cursor', () => {
    const { store, request } = createCache();
    for (let count = 0; count < 3; count++) {
      for (let after = 0n; after < 10n; after++) request({ limit: 20, after });
    }
    expect(store.reads).toBe(30);
    store.page = '["first"]';
    expect(request({ limit: 20 }).body).toBe('["first"]');
  });

  it('tells apart limits, statuses and filters', () => {
    const { store, request } = createCache();
    const requests: ListRequest[] = [{ limit: 1 }, { limit: 11 }, { limit: 1, status: 'sold' }];
    requests.push({ limit: 1, filter: 'id=1' }, { limit: 1, status: 'sold', filter: 'id=1' });
    for (const [index, pageRequest] of requests.entries()) {
      store.page = `[${index}]`;
      request(pageRequest);
    }
    for (const [index, pageRequest] of requests.entries()) {
      expect(request(pageRequest).body).toBe(`[${index}]`);
    }
  });

  it('does not keep a page that arrives after the next commit', () => {
    const { cache, store, request } = createCache();
    cache.get({ limit: 20 }, 1);
    store.version = 2;
    request({ limit: 1 });
    cache.put({ limit: 20 }, 1, { body: '["old"]' });
    expect(request({ limit: 20 }).body).toBe(tinyPage);
  });

  it('drops every page when the version changes', () => {
    const { store, request } = createCache();
    const requests: ListRequest[] = [{ limit: 1 }, { limit: 2, status: 'sold' }];
    for (const pageRequest of requests) request(pageRequest);
    for (const version of [2, 3, 1]) {
      store.version = version;
      store.page = `[${version}]`;
      for (const pageRequest of requests) expect(request(pageRequest).body).toBe(`[${version}]`);
    }
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

  it('limits the bytes of all bodies together', () => {
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
    request({ limit: 1 });
    const second = request({ limit: 1 });
    expect(second).toMatchObject({ etag: '"tag"', link: 'next' });
    expect(typeof second.body === 'string').toBe(isText);
    expect(Buffer.from(second.body ?? '').toString()).toBe(page);
  });
});

/** The real services below run on SQLite, whatever TEST_STORE says: PostgreSQL keeps nothing. */
