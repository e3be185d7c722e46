import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { Store } from '../../../src/domain/store.ts';
import { openPostgresStore } from '../../../src/postgres/open.ts';
import { superuser } from '../../support/postgres/cluster.ts';
import { openProxy, type PostgresProxy } from '../../support/postgres/proxy.ts';
import { makeDatabase, sharedServer, type Database } from '../../support/postgres/server.ts';

let database: Database;
let proxy: PostgresProxy;
let store: Store;
let other: Store;

beforeAll(async () => {
  database = await makeDatabase();
  proxy = await openProxy(sharedServer.port);
  const { user, password } = superuser;
  store = await openPostgresStore({
    address: `postgres://${user}:${password}@127.0.0.1:${proxy.port}/${database.name}?sslmode=disable`,
  });
  other = await openPostgresStore({ address: database.address() });
});
afterAll(async () => {
  await store.close();
  await other.close();
  await proxy[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

let keys = 0;

/** A key that the store answers from memory. */
async function makeKnownKey(): Promise<{ id: string; hash: string }> {
  const hash = `hash ${++keys}`;
  const { id } = await other.keys.createKey({
    name: 'till',
    hash,
    lastFour: 'abcd',
    isReadOnly: false,
    createdAt: new Date(),
  });
  while (!isFromMemory(hash)) await Bun.sleep(20);
  return { id, hash };
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
    await store.pets.checkWritable();
    // A read may still be on its way. One that came again and again would never leave two seconds silent.
    while (!(await isSilentFor(2000)));
  });

  it('reads a key before it trusts it again', async () => {
    const { id, hash } = await makeKnownKey();
    await database.run(`UPDATE api_keys SET revoked_at = 1 WHERE id = ${id}`);
    await Bun.sleep(1000);
    expect(await store.keys.findKey(hash)).toBeUndefined();
  });
});

describe('a replica with requests', () => {
  it('reads its keys a few times a second, and uses them from memory in between', async () => {
    const { hash } = await makeKnownKey();
    const sent = proxy.record();
    const startedAt = performance.now();
    const countReads = () => sent.filter((text) => text.includes('select-usable-keys')).length;
    let fromMemory = 0;
    while (fromMemory < 100 || countReads() < 4) {
      if (isFromMemory(hash)) fromMemory += 1;
      await Bun.sleep(10);
    }
    // Successive reads are 400 ms apart.
    expect(countReads()).toBeLessThanOrEqual(1 + (performance.now() - startedAt) / 400);
  });
});
