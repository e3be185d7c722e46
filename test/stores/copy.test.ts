import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { readTable, type StoreTables } from '../../src/stores/copy.ts';
import { issueKey } from '../../src/stores/issue-key.ts';
import { petStatuses } from '../../src/domain/pet.ts';
import { openPostgresStore, openPostgresTables } from '../../src/stores/postgres/open.ts';
import { openSqliteStore, openSqliteTables } from '../../src/stores/sqlite/open.ts';
import { damageFile } from '../support/crashed-store.ts';
import { makeFolder, runCli, type Folder } from '../support/process/process.ts';
import { makeDatabase, type Database } from '../support/postgres/server.ts';
import { createPet, deletePet, putCategory, updatePet } from '../support/changes.ts';
import { idsOf } from '../support/http/calls.ts';
import { insertPets } from '../support/insert-rows.ts';

/** More than two batches. */
const pets = 5000;
/** The id of the newest pet, which is deleted. */
let lastId: bigint;
const gone = { name: 'Gone', categoryId: 1n, status: 'sold' } as const;
let database: Database;
let folder: Folder;
let full: string;

beforeAll(async () => {
  database = await makeDatabase();
  folder = makeFolder();
  full = join(folder.path, 'full.db');
  await fill(full);
});
afterAll(async () => {
  folder[Symbol.dispose]();
  await database[Symbol.asyncDispose]();
});

/** A shop with everything that is hard to keep: gaps, ids past 2^53, odd names, all kinds of keys. */
async function fill(path: string): Promise<void> {
  const store = openSqliteStore({ path });
  const now = new Date('2026-01-01T00:00:00.001Z');
  await issueKey(store.keys, { name: 'till', now });
  await issueKey(store.keys, { name: 'revoked', now, mayDelete: false });
  await store.keys.revokeKey('2', new Date('2026-02-01T00:00:00.002Z'));
  await store.keys.recordUse('1', new Date('2026-03-01T00:00:00.003Z'));
  const expiresAt = new Date('2036-01-01T00:00:00.004Z');
  await issueKey(store.keys, { name: 'expiring', now, expiresAt, isReadOnly: true });
  for (let index = 0; index < 10; index++) {
    const name = `keyed "${index}" \\ 🐕 NULL`;
    await store.pets.apply(
      createPet({ name, categoryId: -(2n ** 63n) }, { caller: 'shop', key: `key ${index}` }),
    );
  }
  await store.close();
  const added = Array.from({ length: pets - 10 }, (_, index) => {
    const n = index + 11;
    const status = [undefined, ...petStatuses][n % 4];
    const id = n > pets - 5 ? 2n ** 53n + 1n + BigInt(n) : BigInt(n * 2);
    return { id, name: `Pet ${n}`, categoryId: BigInt(n % 7), ...(status && { status }) };
  });
  await insertPets({ openTables: () => openSqliteTables({ path, mayCreate: true }) }, added);
  // The newest pet is deleted; its id, its order and its idempotency key stay.
  const reopened = openSqliteStore({ path });
  await reopened.pets.apply(putCategory(-(2n ** 63n), 'Größe "1" 🐕'));
  await reopened.pets.apply(putCategory(2n ** 53n + 1n, 'Dogs'));
  // Sold, returned and sold again.
  for (const status of ['sold', 'available', 'pending'] as const)
    await reopened.pets.apply(updatePet(1n, { changes: { status } }, undefined, 'till "1"'));
  lastId = (await reopened.pets.apply(createPet(gone, { caller: 'shop', key: 'gone' }))).id;
  await reopened.pets.apply(deletePet(lastId));
  await reopened.close();
}

/** Every row that a copy takes along, in the order of its key. */
async function contentOf(open: Promise<StoreTables>): Promise<unknown[]> {
  const opened = await open;
  const content = [];
  for (const table of ['pets', 'orders', 'categories', 'api_keys', 'idempotency_keys'] as const)
    for await (const rows of readTable(opened, table)) content.push(...rows);
  await opened.close();
  return content;
}

describe('petstore copy', () => {
  it('moves a store to PostgreSQL and back, and the stores are identical', async () => {
    const address = database.address();
    const back = join(folder.path, 'back.db');
    const original = await contentOf(openSqliteTables({ path: full, mayCreate: false }));
    expect(original).toHaveLength(pets + 3 + 2 + 3 + 11);

    const there = await runCli(['copy', '--from', full, '--to', address]);
    expect(there).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(
        /^Copied 5,000 pets, 3 orders, 2 categories, 11 idempotency keys, 3 API keys from /,
      ),
    });
    expect(await contentOf(openPostgresTables({ address, mayCreate: false }))).toEqual(original);

    const here = await runCli(['copy', '--from', address, '--to', back]);
    expect(here).toMatchObject({ status: 0 });
    expect(await contentOf(openSqliteTables({ path: back, mayCreate: false }))).toEqual(original);
    const copy = openSqliteStore({ path: back });
    expect(await copy.pets.apply(createPet(gone))).toMatchObject({ id: lastId + 1n });
    expect(idsOf((await copy.orders.listOrders({ limit: 1, after: 3n })).json)).toEqual(['4']);
    await copy.close();
  });

  it('leaves a usable store: its log of events is new, no id is used again, and a repeated create finds its pet', async () => {
    const store = await openPostgresStore({ address: database.address() });
    expect(await store.events.listEvents({ limit: 100 })).toMatchObject({ json: '[]', isEnd: true });
    const created = await store.pets.apply(createPet({ ...gone, name: 'new' }));
    const keyed = { name: 'keyed "3" \\ 🐕 NULL', categoryId: -(2n ** 63n) };
    expect(await store.pets.apply(createPet(keyed, { caller: 'shop', key: 'key 3' }))).toMatchObject({
      id: 4n,
      isNew: false,
    });
    const deleted = await store.pets.apply(createPet(gone, { caller: 'shop', key: 'gone' }));
    expect(deleted).toMatchObject({ isNew: false });
    expect(created.id).toBe(deleted.id + 1n);
    expect(idsOf((await store.orders.listOrders({ limit: 1, after: 3n })).json)).toEqual(['4']);
    expect(await issueKey(store.keys, { name: 'new', now: new Date() })).toMatchObject({ key: { id: '4' } });
    await store.close();
  });

  it('does not reuse ids if it is interrupted', async () => {
    const from = join(folder.path, 'damaged.db');
    const source = openSqliteStore({ path: from });
    for (let count = 0; count < 3; count++) await source.pets.apply(createPet(gone));
    await source.pets.apply(deletePet(3n));
    await source.close();
    await using target = await makeDatabase();
    await (await openPostgresStore({ address: target.address() })).close();
    await target.run(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE 'no orders here'; END $$`);
    await target.run('CREATE TRIGGER refuse BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION refuse()');
    expect(await runCli(['copy', '--from', from, '--to', target.address()])).toMatchObject({ status: 1 });
    await target.run('DROP TRIGGER refuse ON orders');
    const store = await openPostgresStore({ address: target.address() });
    expect(await store.pets.apply(createPet(gone))).toMatchObject({ id: 4n });
    await store.close();
  });

  it.each([
    ['pets', [createPet({ name: 'somebody else', categoryId: 1n })]],
    ['orders', [createPet(gone), deletePet(1n)]],
    ['categories', [putCategory(1n, 'Dogs')]],
  ])('refuses a target that holds %s, and writes nothing', async (what, changes) => {
    const other = join(folder.path, `${what}.db`);
    const store = openSqliteStore({ path: other });
    for (const change of changes) await store.pets.apply(change);
    await store.close();
    const { status, stderr } = await runCli(['copy', '--from', full, '--to', other]);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: `petstore: The target already holds ${what}, so nothing was written. Choose an empty store with --to.\n`,
    });
    expect(await contentOf(openSqliteTables({ path: other, mayCreate: false }))).toHaveLength(1);
  });

  it('reports a damaged table in one line', async () => {
    const [damaged, other] = ['torn.db', 'new.db'].map((name) => join(folder.path, name));
    copyFileSync(full, damaged!);
    damageFile(damaged!);
    expect(await runCli(['copy', '--from', damaged!, '--to', other!])).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^petstore: The database .* is damaged\..*\n$/),
    });
  });

  it('counts the rows of both stores at the end', async () => {
    await using changed = await makeDatabase();
    const address = changed.address();
    await (await openPostgresStore({ address })).close();
    // Leaves out a pet, as if a running service had added one to the source.
    await changed.run(
      `CREATE FUNCTION skip() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$`,
    );
    await changed.run(`CREATE TRIGGER skip BEFORE INSERT ON pets FOR EACH ROW
      WHEN (new.id = 1000) EXECUTE FUNCTION skip()`);
    const { status, stderr } = await runCli(['copy', '--from', full, '--to', address]);
    expect(status).toBe(1);
    expect(stderr).toEndWith(
      'petstore: After the copy, the source holds 5000 pets, and the target 4999. Stop the services of both stores, ' +
        'empty the target, and run the same command again.\n',
    );
  });

  it('refuses a missing source, and does not create it', async () => {
    const missing = join(folder.path, 'missing.db');
    const fromFile = await runCli(['copy', '--from', missing, '--to', join(folder.path, 'x.db')]);
    expect(fromFile).toMatchObject({
      status: 1,
      stderr: `petstore: There is no store at ${missing}. Check the path.\n`,
    });
    await using empty = await makeDatabase();
    const fromServer = await runCli(['copy', '--from', empty.address(), '--to', join(folder.path, 'x.db')]);
    expect(fromServer).toMatchObject({ status: 1, stderr: expect.stringContaining('holds no store') });
    expect(await empty.run("SELECT FROM pg_tables WHERE schemaname = 'public'")).toEqual([]);
  });
});
