import { afterAll, describe, expect, it } from 'bun:test';
import { issueKey } from '../../../../src/stores/issue-key.ts';
import { type App, createApp } from '../../../../src/http/app.ts';
import { openPostgresStore } from '../../../../src/stores/postgres/open.ts';
import { silentLog } from '../../../support/http/service.ts';
import { openProxiedStore } from '../proxy.ts';

const proxied = await openProxiedStore();
const { database, proxy } = proxied;
const direct = await Promise.all([1, 2].map(() => openPostgresStore({ address: database.address() })));
const replicas = [...direct, proxied.store].map((store) => createApp({ ...store, log: silentLog }));
const { keys } = proxied.store;
afterAll(async () => {
  await Promise.all(direct.map((replica) => replica.close()));
  await proxied[Symbol.asyncDispose]();
});

async function statusOf(replica: App, key: string): Promise<number> {
  const headers = { Authorization: `Bearer ${key}` };
  return (await replica.fetch(new Request('http://petstore/v1/key', { headers }))).status;
}

/** Makes a key that every replica has accepted, so that each keeps it in memory. */
async function makeKnownKey(): Promise<{ id: string; text: string }> {
  const { key, text } = await issueKey(keys, { name: 'till', now: new Date() });
  for (const replica of replicas) expect(await statusOf(replica, text)).toBe(200);
  return { id: key.id, text };
}

describe('three replicas on one database', () => {
  it.each([
    ['', () => {}],
    [', even if the connection that confirmed it was cut', () => proxy.cutConnectionsThatSent('select-keys')],
  ])('refuse a revoked key within a second%s', async (_how, disturb) => {
    const { id, text } = await makeKnownKey();
    disturb();
    await keys.revokeKey(id, new Date());
    await Bun.sleep(1000);
    for (const replica of replicas) expect(await statusOf(replica, text)).toBe(401);
  });

  it('respond 503, and nothing from memory, when a key cannot be checked', async () => {
    const { text } = await makeKnownKey();
    proxy.freeze();
    try {
      await Bun.sleep(1000);
      expect(await statusOf(replicas[2]!, text)).toBe(503);
    } finally {
      proxy.thaw();
    }
    while ((await statusOf(replicas[2]!, text)) !== 200) await Bun.sleep(20);
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
  it('reads its keys at most twice a second, and uses them from memory in between', async () => {
    const { text } = await makeKnownKey();
    const sent = proxy.record();
    const startedAt = performance.now();
    const countReads = () => sent.filter((packet) => packet.includes('select-keys')).length;
    for (let requests = 0; requests < 100 || countReads() < 3; requests++) {
      expect(await statusOf(replicas[2]!, text)).toBe(200);
      await Bun.sleep(10);
    }
    expect(countReads()).toBeLessThanOrEqual(1 + (performance.now() - startedAt) / 500);
  });
});
