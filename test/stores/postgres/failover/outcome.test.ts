import { afterAll, describe, expect, it } from 'bun:test';
import { PetstoreError } from '../../../../src/domain/error.ts';
import { failureOf } from '../../../support/failure.ts';
import { openProxiedStore } from '../proxy.ts';
import { createPet } from '../../../support/changes.ts';

const proxied = await openProxiedStore();
const { database, proxy, store } = proxied;
afterAll(() => proxied[Symbol.asyncDispose]());

async function countOf(name: string): Promise<number> {
  const [row] = await database.run(`SELECT count(*)::int AS count FROM pets WHERE folded_name = '${name}'`);
  return row?.['count'] as number;
}

describe('a transaction whose BEGIN fails', () => {
  it('does not leave anything behind, and is repeated', async () => {
    const create = createPet({ name: 'unbegun', categoryId: 1n }, { caller: 'shop', key: 'unbegun' });
    proxy.replaceNext('BEGIN', 'BEGUN');
    expect(await store.pets.apply(create)).toMatchObject({ isNew: true });
    expect(await countOf('unbegun')).toBe(1);
  });
});

describe('a connection that is lost after the commit was sent', () => {
  it('creates exactly one pet in each of 20 cuts if the caller repeats with its idempotency key', async () => {
    let failures = 0;
    const createRepeatedly = async (name: string): Promise<bigint> => {
      try {
        return (await store.pets.apply(createPet({ name, categoryId: 1n }, { caller: 'shop', key: name })))
          .id;
      } catch (error) {
        expect(error).toBeInstanceOf(PetstoreError);
        expect(error).toMatchObject({ code: 'unavailable' });
        failures += 1;
        return createRepeatedly(name);
      }
    };
    const ids = new Set<bigint>();
    for (let round = 0; round < 20; round++) {
      proxy.cutNextCreate(round % 2 === 0 ? 'at-once' : 'after-answer');
      ids.add(await createRepeatedly(`cut ${round}`));
    }
    expect({ cuts: proxy.cuts, failures }).toEqual({ cuts: 20, failures: 20 });
    expect(ids.size).toBe(20);
    const [row] = await database.run(
      "SELECT count(*)::int AS count FROM pets WHERE folded_name LIKE 'cut %'",
    );
    expect(row).toEqual({ count: 20 });
  });

  it('leaves a create without a key neither acknowledged nor repeated', async () => {
    proxy.cutNextCreate('after-answer');
    const answer = store.pets.apply(createPet({ name: 'once', categoryId: 1n }));
    expect(await failureOf(answer)).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('outcome of this write is unknown'),
    });
    await store.pets.apply(createPet({ name: 'next', categoryId: 1n }));
    expect(await countOf('once')).toBe(1);
  });

  it('does not affect later requests', async () => {
    proxy.cutNextCreate('after-answer');
    const answers = await Promise.allSettled(
      Array.from({ length: 50 }, () => store.pets.apply(createPet({ name: 'crowd', categoryId: 1n }))),
    );
    const made = answers.filter(({ status }) => status === 'fulfilled').length;
    // The first was sent alone; the others gathered meanwhile and were sent by the next connection.
    expect(made).toBe(49);
    expect(await countOf('crowd')).toBe(50);
  });
});

describe('a connection on which nothing moves', () => {
  it('makes requests a 503 before the caller gives up, and is replaced when the network is back', async () => {
    proxy.freeze();
    try {
      const startedAt = performance.now();
      const failures = Array.from({ length: 10 }, () => [
        failureOf(store.pets.listPets({ limit: 1 })),
        failureOf(store.pets.apply(createPet({ name: 'frozen', categoryId: 1n }))),
        failureOf(store.keys.findKey('nobody')),
      ]);
      for (const failure of await Promise.all(failures.flat()))
        expect(failure).toMatchObject({ code: 'unavailable' });
      expect(performance.now() - startedAt).toBeLessThan(10_000);
    } finally {
      proxy.thaw();
    }
    await store.pets.apply(createPet({ name: 'thawed', categoryId: 1n }));
    expect(await countOf('thawed')).toBe(1);
  });
});
