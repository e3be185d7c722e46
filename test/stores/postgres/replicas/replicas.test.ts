import { afterAll, describe, expect, it } from 'bun:test';
import { issueKey } from '../../../../src/stores/issue-key.ts';
import { type ApiKey, isUsable } from '../../../../src/domain/api-key.ts';
import type { Store } from '../../../../src/stores/store.ts';
import { openPostgresStore } from '../../../../src/stores/postgres/open.ts';
import { failureOf } from '../../../support/failure.ts';
import { openProxiedStore } from '../proxied-store.ts';

const proxied = await openProxiedStore();
const { database, proxy } = proxied;
const direct = await Promise.all([1, 2].map(() => openPostgresStore({ address: database.address() })));
const replicas = [...direct, proxied.store];
afterAll(async () => {
  await Promise.all(direct.map((replica) => replica.close()));
  await proxied[Symbol.asyncDispose]();
});

/** Makes a key that every replica has used, so that each keeps it in memory. */
async function makeKnownKey(): Promise<ApiKey> {
  const { key } = await issueKey(replicas[0]!.keys, { name: 'till', now: new Date() });
  for (const replica of replicas) {
    // More than once, until the replica has looked at the database and answers from memory.
    while ((await whatIs(replica, key.hash)).from !== 'memory') await Bun.sleep(20);
  }
  return key;
}

async function whatIs(replica: Store, hash: string): Promise<{ isAccepted: boolean; from: string }> {
  const found = replica.keys.findKey(hash);
  const key = await found;
  return {
    isAccepted: key !== undefined && isUsable(key, Date.now()),
    from: found instanceof Promise ? 'database' : 'memory',
  };
}

describe('three replicas on one database', () => {
  it('accept a new key and refuse a revoked one within a second', async () => {
    const { id, hash } = await makeKnownKey();
    await replicas[0]!.keys.revokeKey(id, new Date());
    await Bun.sleep(1000);
    for (const replica of replicas) expect((await whatIs(replica, hash)).isAccepted).toBe(false);
  });

  it('refuse a revoked key within a second, even if the connection that confirmed it was cut', async () => {
    const { id, hash } = await makeKnownKey();
    proxy.cutConnectionsThatSent('select-keys');
    await replicas[0]!.keys.revokeKey(id, new Date());
    await Bun.sleep(1000);
    for (const replica of replicas) expect((await whatIs(replica, hash)).isAccepted).toBe(false);
  });

  it('respond 503, and nothing from memory, when a key cannot be checked', async () => {
    const { hash } = await makeKnownKey();
    proxy.freeze();
    try {
      await Bun.sleep(1000);
      expect(await failureOf(replicas[2]!.keys.findKey(hash))).toMatchObject({
        code: 'unavailable',
      });
    } finally {
      proxy.thaw();
    }
    const isAccepted = () =>
      whatIs(replicas[2]!, hash).then(
        (found) => found.isAccepted,
        () => false,
      );
    while (!(await isAccepted())) await Bun.sleep(20);
  });
});

describe('a replica without requests', () => {
  it('sends nothing at all to the server', async () => {
    await makeKnownKey();
    const isSilent = async () => {
      const sent = proxy.record();
      await Bun.sleep(2000);
      return sent.length === 0;
    };
    // A read may still be on its way. One that came again and again would never leave two seconds silent.
    while (!(await isSilent()));
  });
});

describe('a replica with requests', () => {
  it('reads its keys a few times a second, and uses them from memory in between', async () => {
    const { hash } = await makeKnownKey();
    const sent = proxy.record();
    const startedAt = performance.now();
    const countReads = () => sent.filter((text) => text.includes('select-keys')).length;
    let fromMemory = 0;
    while (fromMemory < 100 || countReads() < 4) {
      if ((await whatIs(proxied.store, hash)).from === 'memory') fromMemory += 1;
      await Bun.sleep(10);
    }
    // Successive reads are 400 ms apart.
    expect(countReads()).toBeLessThanOrEqual(1 + (performance.now() - startedAt) / 400);
  });
});
