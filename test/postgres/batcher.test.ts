import { expect, it } from 'bun:test';
import { createBatcher } from '../../src/postgres/batcher.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

it('makes one batch of callers who return together and of one who missed them', async () => {
  const sizes: number[] = [];
  const batcher = createBatcher({
    gatherMs: 100,
    run: async (requests: string[]) => {
      sizes.push(requests.length);
      await turn();
      return requests;
    },
  });
  const repeat = async (caller: string): Promise<void> => {
    for (let round = 0; round < 3; round++) {
      await batcher.add(caller);
      await turn();
    }
  };
  // The first goes alone, the others together.
  await Promise.all(['one', 'two', 'three'].map(repeat));
  expect(sizes.slice(0, 4)).toEqual([1, 2, 3, 3]);
});
