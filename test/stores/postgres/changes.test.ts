import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { Store } from '../../../src/stores/store.ts';
import { issueKey } from '../../../src/stores/issue-key.ts';
import { openPostgresStore } from '../../../src/stores/postgres/open.ts';
import { codeOf } from '../../support/code-of.ts';
import { openProxiedStore } from './proxy.ts';
import { hold } from '../../support/postgres/cluster.ts';
import { makeDatabase, type Database } from '../../support/postgres/server.ts';
import { createPet, putCategory, updatePet } from '../../support/changes.ts';

const rex = { name: 'Rex', categoryId: 0n };

describe('two replicas that change the same pets', () => {
  let database: Database;
  let replicas: [Store, Store];
  beforeAll(async () => {
    database = await makeDatabase();
    const open = () => openPostgresStore({ address: database.address() });
    replicas = [await open(), await open()];
  });
  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.close()));
    await database[Symbol.asyncDispose]();
  });

  const createMany = (count: number) =>
    Promise.all(Array.from({ length: count }, async () => (await replicas[0].pets.apply(createPet(rex))).id));

  it('keep the earlier of two revocations of a key', async () => {
    const [one, other] = replicas;
    const { key } = await issueKey(one.keys, { name: 'till', now: new Date() });
    await using held = await hold(database, `SELECT FROM api_keys WHERE id = ${key.id} FOR UPDATE`);
    const earlier = one.keys.revokeKey(key.id, new Date(4));
    await held.untilWaiting(1);
    const later = other.keys.revokeKey(key.id, new Date(9));
    await held.untilWaiting(2);
    await held.release();
    const revoked = await Promise.all([earlier, later]);
    // Bun finds all times equal in toMatchObject.
    expect(revoked.map((each) => each?.revokedAt)).toEqual([new Date(4), new Date(4)]);
  });

  it('of a pet do not wait for the categories', async () => {
    const [id] = (await createMany(1)) as [bigint];
    await using held = await hold(database, 'LOCK TABLE categories IN SHARE ROW EXCLUSIVE MODE');
    const [{ pets }] = replicas;
    const put = codeOf(pets.apply(putCategory(8n, 'Fish')));
    await held.untilWaiting(1);
    expect(await codeOf(pets.apply(updatePet(id, { changes: { status: 'sold' } })))).toBe('done');
    await held.release();
    expect(await put).toBe('done');
  });

  it('lock pets in the order of their ids', async () => {
    const ids = await createMany(20);
    const [first = 0n, ...others] = ids;
    await using held = await hold(database, `SELECT FROM pets WHERE id = ${first} FOR UPDATE`);
    // The first update is a batch of its own; all others follow in one.
    const updates = [others[0]!, ...ids.toReversed()].map((id) =>
      codeOf(replicas[0].pets.apply(updatePet(id, { changes: { name: 'Tom' } }))),
    );
    await held.untilWaiting(1);
    await database.run(`SELECT FROM pets WHERE id IN (${others.join()}) FOR UPDATE NOWAIT`);
    await held.release();
    expect(new Set(await Promise.all(updates))).toEqual(new Set(['done']));
  });

  it('claim idempotency keys in the order of the keys', async () => {
    const claim = (key: string): string =>
      `INSERT INTO idempotency_keys (caller, key, request_hash, pet_id, created_at) VALUES ('order', '${key}', '', 1, 1)`;
    await using held = await hold(database, claim('a'));
    const keys = [undefined, 'c', 'b', 'a'];
    const creates = keys.map((key) =>
      codeOf(replicas[0].pets.apply(createPet(rex, key === undefined ? key : { caller: 'order', key }))),
    );
    await held.untilWaiting(1);
    for (const key of ['b', 'c'])
      await database.run(`BEGIN; SET LOCAL lock_timeout = '1s'; ${claim(key)}; ROLLBACK`);
    await held.release();
    expect(new Set(await Promise.all(creates))).toEqual(new Set(['done']));
  });
});

describe('changes on PostgreSQL', () => {
  let database: Database;
  let store: Store;
  beforeAll(async () => {
    database = await makeDatabase();
    store = await openPostgresStore({ address: database.address() });
  });
  afterAll(async () => {
    await store.close();
    await database[Symbol.asyncDispose]();
  });

  it('share a transaction if they wait together, even several for one pet', async () => {
    await using own = await openProxiedStore();
    const { pets } = own.store;
    const ids = await Promise.all(
      Array.from({ length: 300 }, async () => (await pets.apply(createPet(rex))).id),
    );
    const sent = own.proxy.record();
    const [first, second] = ids as [bigint, bigint];
    // The first goes alone, all others together.
    const names = await Promise.all(
      [first, first, second, first, ...ids.slice(2)].map((id, index) =>
        pets.apply(updatePet(id, { changes: { name: String(index) } })),
      ),
    );
    expect(sent.join('').split(/COMMIT\b/)).toHaveLength(1 + 2);
    expect(new Set(names).size).toBe(302);
    expect(await pets.getPet(first)).toContain('"name":"3"');
  });

  it('that wait for a pet of another session do not delay creates', async () => {
    const { id } = await store.pets.apply(createPet(rex));
    await using held = await holdPet(database, id);
    const update = codeOf(store.pets.apply(updatePet(id, { changes: { name: 'Tom' } })));
    await held.untilWaiting(1);
    const first = await Promise.race([update, store.pets.apply(createPet(rex)).then(() => 'created')]);
    await held.release();
    expect([first, await update]).toEqual(['created', 'done']);
  });

  it('add their events one transaction after another', async () => {
    // The lock of the log: without it, two transactions choose the same ids.
    await using held = await hold(database, "SELECT pg_advisory_xact_lock(x'6576656e'::int)");
    const create = codeOf(store.pets.apply(createPet(rex)));
    expect(await Promise.race([create, held.untilWaiting(1).then(() => 'waits')])).toBe('waits');
    await held.release();
    expect(await create).toBe('done');
  });
});

const holdPet = (database: Database, id: bigint) =>
  hold(database, `SELECT FROM pets WHERE id = ${id} FOR UPDATE`);
