import { describe, expect, it } from 'bun:test';
import { createSharedRead } from '../../../src/stores/postgres/shared-read.ts';

/** Queries that end when the test says so. */
function startQueries() {
  const started: PromiseWithResolvers<string>[] = [];
  const query = (): Promise<string> => {
    const running = Promise.withResolvers<string>();
    started.push(running);
    return running.promise;
  };
  return { started, query };
}

describe('shared reads', () => {
  it('join a query only before it starts', async () => {
    const { started, query } = startQueries();
    const read = createSharedRead<string>();
    const first = read('page', query);
    const second = read('page', query);
    const third = read('page', query);
    expect(started).toHaveLength(1);
    started[0]!.resolve('before');
    expect(await first).toBe('before');
    expect(started).toHaveLength(2);
    const fourth = read('page', query);
    started[1]!.resolve('after');
    expect([await second, await third]).toEqual(['after', 'after']);
    expect(started).toHaveLength(3);
    started[2]!.resolve('last');
    expect(await fourth).toBe('last');
  });

  it('keep different reads apart', async () => {
    const { started, query } = startQueries();
    const read = createSharedRead<string>();
    const reads = [read('one', query), read('other', query)];
    started[0]!.resolve('one');
    started[1]!.resolve('other');
    expect(await Promise.all(reads)).toEqual(['one', 'other']);
  });

  it('fail together behind a failed query, and start again after it', async () => {
    const { started, query } = startQueries();
    const read = createSharedRead<string>();
    const reads = Promise.allSettled([read('page', query), read('page', query)]);
    started[0]!.reject(new Error('down'));
    expect((await reads).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const later = read('page', query);
    started[1]!.resolve('up');
    expect(await later).toBe('up');
  });
});
