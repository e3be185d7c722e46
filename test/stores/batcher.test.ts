import { describe, expect, it } from 'bun:test';
import { PetstoreError, unavailable } from '../../src/domain/error.ts';
import { createBatcher, createReadiness } from '../../src/stores/batcher.ts';
import { codeOf } from '../support/code-of.ts';

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

/** A store whose probes fail while it is broken. */
function createStore() {
  const store = { isBroken: false, probes: 0 };
  const readiness = createReadiness(async () => {
    store.probes += 1;
    const failure = store.isBroken ? unavailable(new Error('broken')) : undefined;
    readiness.note(failure);
    if (failure) throw failure;
  });
  return { store, readiness };
}

describe('readiness', () => {
  it('probes at most once a second after a write has failed, until a probe succeeds', async () => {
    const { store, readiness } = createStore();
    store.isBroken = true;
    readiness.note(unavailable(new Error('broken')));
    for (let check = 0; check < 5; check++) expect(await codeOf(readiness.check())).toBe('unavailable');
    expect(store.probes).toBe(1);
    store.isBroken = false;
    while ((await codeOf(readiness.check())) !== 'done') await Bun.sleep(20);
    expect(store.probes).toBe(2);
    await readiness.check();
    expect(store.probes).toBe(2);
  });

  it('has one probe under way at a time, however long it takes', async () => {
    let probes = 0;
    const { promise, resolve } = Promise.withResolvers<void>();
    const readiness = createReadiness(() => {
      probes += 1;
      return promise;
    });
    readiness.note(unavailable(new Error('broken')));
    const checks = [codeOf(readiness.check())];
    await Bun.sleep(1100);
    checks.push(codeOf(readiness.check()));
    resolve();
    await Promise.all(checks);
    expect(probes).toBe(1);
  });

  it('returns with the next write that succeeds, and stays when one is refused for its own sake', async () => {
    const { store, readiness } = createStore();
    readiness.note(unavailable(new Error('broken')));
    readiness.note(undefined);
    await readiness.check();
    readiness.note(new PetstoreError('overloaded', 'Too many.'));
    await readiness.check();
    expect(store.probes).toBe(0);
  });
});
