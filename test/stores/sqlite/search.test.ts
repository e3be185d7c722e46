import { describe, expect, it } from 'bun:test';
import { readdir, rename } from 'node:fs/promises';
import { getPriority } from 'node:os';
import { PetstoreError } from '../../../src/domain/error.ts';
import { fillFile } from '../../support/fill-file.ts';
import { findStore } from '../../../src/stores/sqlite/file.ts';
import { openSearcher } from '../../../src/stores/sqlite/search.ts';
import { codeOf } from '../../support/code-of.ts';
import { idsOf } from '../../support/http/calls.ts';
import { makeSqlitePlace } from '../../support/store-place.ts';
import { withoutThreads, withThreads } from './with-threads.ts';

const nothing = { limit: 20, words: ['no pet has this name'] };

describe('a search that reads many pets', () => {
  it('is refused when too many wait, while the others get their results', async () => {
    await using place = await makeSqlitePlace();
    await fillFile(place.path, 2000);
    const store = await place.open();
    // Starts the thread.
    await store.pets.searchPets(nothing);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 60 }, async () => store.pets.searchPets(nothing)),
    );
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    // One runs, 32 wait; on a busy machine, some of them for too long.
    expect(refused.length).toBeGreaterThanOrEqual(27);
    expect((refused.at(-1) as PromiseRejectedResult).reason).toMatchObject({ code: 'overloaded' });
    expect(await store.pets.searchPets(nothing)).toEqual({ json: '[]' });
    await store.close();
  });

  it('does not run after three seconds in the queue, or for a caller that is gone', async () => {
    await using place = await makeSqlitePlace();
    await (await place.open()).close();
    const go = `${place.path}.go`;
    const source = `
      import { existsSync } from 'node:fs';
      let count = 0;
      self.onmessage = ({ data }) => {
        if (data === 'close') return self.postMessage('closed');
        if (!('sql' in data)) return;
        while (!existsSync(${JSON.stringify(go)})) Bun.sleepSync(5);
        count += 1;
        self.postMessage({ rows: [count] });
      };`;
    await withThreads(source, async () => {
      const searcher = openSearcher(findStore(place.path)!, { problem: () => undefined });
      const one = { input: {}, sql: 'SELECT 1' };
      const caller = new AbortController();
      const running = searcher.scan(one, []);
      expect(await codeOf(searcher.scan(one, []))).toBe('unavailable');
      const unwanted = searcher.scan(one, [], caller.signal);
      caller.abort();
      await Bun.write(go, '');
      expect(await running).toEqual([1]);
      expect(await codeOf(unwanted)).toBe('overloaded');
      expect(await searcher.scan(one, [])).toEqual([2]);
      await searcher.close();
    });
  });

  it('leaves the serving thread free', async () => {
    await using place = await makeSqlitePlace();
    await fillFile(place.path, 50_000);
    const store = await place.open();
    let isFound = false;
    const searching = Promise.resolve(store.pets.searchPets(nothing)).then(() => (isFound = true));
    expect(idsOf((await store.pets.listPets({ limit: 1 })).json)).toEqual(['1']);
    expect(isFound).toBe(false);
    expect(await searching).toBe(true);
    await store.close();
  });

  it.if(process.platform === 'linux')('lets the other threads go first', async () => {
    await using place = await makeSqlitePlace();
    const store = await place.open();
    await store.pets.searchPets(nothing);
    const priorities = (await readdir('/proc/self/task')).map((thread) => {
      try {
        return getPriority(Number(thread));
      } catch {
        return 'ended meanwhile';
      }
    });
    expect(priorities).toContain(Math.max(getPriority(), 10));
    await store.close();
  });

  it('is unavailable if its thread cannot start, and the next one starts another', async () => {
    await using place = await makeSqlitePlace();
    const store = await place.open();
    await withThreads('throw new Error("no start");', async () => {
      expect(await codeOf(Promise.resolve(store.pets.searchPets(nothing)))).toBe('unavailable');
    });
    expect(await store.pets.searchPets(nothing)).toEqual({ json: '[]' });
    await store.close();
  });

  it('is unavailable while the system has no thread for it, and the next one starts one', async () => {
    await using place = await makeSqlitePlace();
    const store = await place.open();
    await withoutThreads(async () => {
      const both = [1, 2].map(async () => codeOf(Promise.resolve(store.pets.searchPets(nothing))));
      expect(await Promise.all(both)).toEqual(['unavailable', 'unavailable']);
    });
    expect(await store.pets.searchPets(nothing)).toEqual({ json: '[]' });
    await store.close();
  });

  it('ends with the store', async () => {
    await using place = await makeSqlitePlace();
    await fillFile(place.path, 20_000);
    const store = await place.open();
    const searches = [1, 2].map(async () => store.pets.searchPets(nothing));
    await store.close();
    expect(await Promise.all(searches)).toEqual([{ json: '[]' }, { json: '[]' }]);
    const late = (async () => store.pets.searchPets(nothing))();
    expect(await late.catch((error: unknown) => error)).toBeInstanceOf(PetstoreError);
  });

  it('fails while the file is moved away', async () => {
    await using place = await makeSqlitePlace();
    const store = await place.open();
    await rename(place.path, `${place.path}.moved`);
    const search = async () => store.pets.searchPets(nothing);
    expect(await search().catch((error: unknown) => error)).toMatchObject({ code: 'unavailable' });
    await rename(`${place.path}.moved`, place.path);
    await store.close();
  });
});
