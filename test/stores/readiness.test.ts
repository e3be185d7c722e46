import { describe, expect, it } from 'bun:test';
import { PetstoreError, unavailable } from '../../src/domain/error.ts';
import { createReadiness } from '../../src/stores/batcher.ts';
import { codeOf } from '../support/code-of.ts';

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
  it('writes nothing before a write has failed', async () => {
    const { store, readiness } = createStore();
    await readiness.check();
    readiness.note(undefined);
    await readiness.check();
    expect(store.probes).toBe(0);
  });

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

  it('returns with the next write that succeeds', async () => {
    const { readiness } = createStore();
    readiness.note(unavailable(new Error('broken')));
    readiness.note(undefined);
    await readiness.check();
  });

  it('does not change when a write is refused for its own sake', async () => {
    const { store, readiness } = createStore();
    readiness.note(new PetstoreError('overloaded', 'Too many.'));
    await readiness.check();
    expect(store.probes).toBe(0);
  });
});
