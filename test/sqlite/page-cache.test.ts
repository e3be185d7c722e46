import { describe, expect, it } from 'bun:test';
import type { Page, PageRequest } from '../../src/pet.ts';
import { PageCache } from '../../src/sqlite/page-cache.ts';

/** Asks for pages and counts how many of them were read. */
function createReader(json: string) {
  const pages = new PageCache();
  let readCount = 0;
  const read = (): Page => {
    readCount += 1;
    return { json };
  };
  const ask = (request: PageRequest): Page => pages.get(request, read);
  return { ask, readCount: () => readCount };
}

const tinyPage = '[{"id":1,"name":"Rex","categoryId":1}]';

describe('the cache of pages', () => {
  it('keeps a first page at once, and a page behind a cursor when it is asked for again', () => {
    const { ask, readCount } = createReader(tinyPage);
    for (let count = 0; count < 3; count++) ask({ limit: 20 });
    expect(readCount()).toBe(1);
    for (let count = 0; count < 5; count++) ask({ limit: 20, after: 7n });
    expect(readCount()).toBe(3);
  });

  it('keeps no empty page', () => {
    const { ask, readCount } = createReader('[]');
    for (let count = 0; count < 5; count++) {
      expect(ask({ limit: 20 }).isShared).toBeUndefined();
      expect(ask({ limit: 20, after: 7n }).isShared).toBeUndefined();
    }
    expect(readCount()).toBe(10);
  });

  it('counts what an entry costs, not only its text', () => {
    const { ask, readCount } = createReader(tinyPage);
    const keep = (after: bigint) => [ask({ limit: 1, after }), ask({ limit: 1, after })];
    keep(1n);
    for (let after = 2n; after < 10_000n; after++) keep(after);
    const before = readCount();
    // The text of ten thousand tiny pages is short, but their entries are not: the first has made room.
    keep(1n);
    expect(readCount() - before).toBe(2);
  });
});
