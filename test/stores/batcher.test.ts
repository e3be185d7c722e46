import { describe, expect, it } from 'bun:test';
import { unavailable } from '../../src/domain/error.ts';
import { createBatcher } from '../../src/stores/batcher.ts';
import { failureOf } from '../support/failure.ts';

const bad = 617;

/** Runs items that wait together. They start after the first one, which is a batch of its own. */
async function runTogether(run: (items: number[]) => Promise<number[]>) {
  const batcher = createBatcher(run);
  return Promise.allSettled(Array.from({ length: 1001 }, (_, index) => batcher.add(index - 1)));
}

describe('a batch with one bad item', () => {
  it('fails that item alone, after few runs, and keeps the order', async () => {
    let runCount = 0;
    const done: number[] = [];
    const results = await runTogether(async (items) => {
      runCount += 1;
      if (items.includes(bad)) throw new Error('bad');
      done.push(...items);
      return items;
    });
    const failed = results.filter(({ status }) => status === 'rejected');
    expect(failed).toEqual([{ status: 'rejected', reason: new Error('bad') }]);
    expect(done).toEqual(
      Array.from({ length: 1001 }, (_, index) => index - 1).filter((item) => item !== bad),
    );
    expect(runCount).toBeLessThan(25);
  });

  it('fails soon if the store goes down meanwhile', async () => {
    let runCount = 0;
    const results = await runTogether(async (items) => {
      runCount += 1;
      if (runCount > 2) throw unavailable(new Error('down'));
      if (items.length > 1) throw new Error('bad');
      return items;
    });
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(1000);
    expect(runCount).toBe(4);
  });
});

describe('a closed batcher', () => {
  it('settles what waits, and refuses the rest', async () => {
    const batcher = createBatcher(async (items: number[]) => items);
    const waiting = Promise.all([1, 2, 3].map((item) => batcher.add(item)));
    const closed = batcher.close();
    expect(await failureOf(batcher.add(4))).toMatchObject({ message: 'The store is closing.' });
    await closed;
    expect(await waiting).toEqual([1, 2, 3]);
  });
});
