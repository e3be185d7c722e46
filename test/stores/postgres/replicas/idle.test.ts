import { afterAll, describe, expect, it } from 'bun:test';
import { issueKey } from '../../../../src/stores/issue-key.ts';
import type { ApiKey } from '../../../../src/domain/api-key.ts';
import { openPostgresStore } from '../../../../src/stores/postgres/open.ts';
import { openProxiedStore } from '../proxied-store.ts';

const proxied = await openProxiedStore();
const { database, proxy, store } = proxied;
const other = await openPostgresStore({ address: database.address() });
afterAll(async () => {
  await other.close();
  await proxied[Symbol.asyncDispose]();
});

/** A key that the store answers from memory. */
async function makeKnownKey(): Promise<ApiKey> {
  const { key } = await issueKey(other.keys, { name: 'till', now: new Date() });
  while (!isFromMemory(key.hash)) await Bun.sleep(20);
  return key;
}

function isFromMemory(hash: string): boolean {
  const found = store.keys.findKey(hash);
  return found !== undefined && !(found instanceof Promise);
}

async function isSilentFor(ms: number): Promise<boolean> {
  const sent = proxy.record();
  await Bun.sleep(ms);
  return sent.length === 0;
}

describe('a replica without requests', () => {
  it('sends nothing at all to the server', async () => {
    await makeKnownKey();
    // A read may still be on its way. One that came again and again would never leave two seconds silent.
    while (!(await isSilentFor(2000)));
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
      if (isFromMemory(hash)) fromMemory += 1;
      await Bun.sleep(10);
    }
    // Successive reads are 400 ms apart.
    expect(countReads()).toBeLessThanOrEqual(1 + (performance.now() - startedAt) / 400);
  });
});
