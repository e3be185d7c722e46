import { Database as SqliteDatabase } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import { readAll, type BulkStore, type BulkTable } from '../../src/domain/bulk-store.ts';
import { petStatuses } from '../../src/domain/pet.ts';
import { openPostgresBulk } from '../../src/postgres/maintenance/bulk.ts';
import { openPostgresStore } from '../../src/postgres/open.ts';
import { openSqliteBulk } from '../../src/sqlite/maintenance/bulk.ts';
import { openSqliteImport } from '../../src/sqlite/maintenance/import.ts';
import { openSqliteStore } from '../../src/sqlite/open.ts';
import {
  cleanEnvironment,
  makeFolder,
  petstoreCommand,
  runCli,
  type Folder,
} from '../support/process/process.ts';
import { insertPet } from '../support/insert-pet.ts';
import { makeDatabase, type Database } from '../support/postgres/server.ts';

const pets = 40_000;
const patienceMs = 120_000;
let database: Database;
let folder: Folder;
let full: string;

beforeAll(async () => {
  database = await makeDatabase();
  folder = makeFolder();
  full = join(folder.path, 'full.db');
  await fill(full);
}, patienceMs);
afterAll(async () => {
  folder[Symbol.dispose]();
  await database[Symbol.asyncDispose]();
});

/** A shop with everything that is hard to keep: gaps, ids past 2^53, odd names, all kinds of keys. */
async function fill(path: string): Promise<void> {
  const store = openSqliteStore({ path });
  const createdAt = new Date('2026-01-01T00:00:00.001Z');
  for (const name of ['till', 'revoked']) {
    await store.keys.createKey({
      name,
      hash: `hash of ${name}`,
      lastFour: 'abcd',
      isReadOnly: false,
      createdAt,
    });
  }
  await store.keys.revokeKey('2', new Date('2026-02-01T00:00:00.002Z'));
  await store.keys.recordUse('1', new Date('2026-03-01T00:00:00.003Z'));
  await store.keys.createKey({
    ...{ name: 'expiring', hash: 'hash of expiring', lastFour: 'wxyz', isReadOnly: true, createdAt },
    expiresAt: new Date('2036-01-01T00:00:00.004Z'),
  });
  for (let index = 0; index < 10; index++) {
    const name = `keyed "${index}" \\ 🐕 NULL`;
    await store.pets.createPet({ name, categoryId: -(2n ** 63n) }, { caller: 'shop', key: `key ${index}` });
  }
  await store.close();
  const imports = openSqliteImport({ path });
  for (const source of ['Z', 'a', 'half-way']) {
    await imports.addPets([], { source, addedBefore: 0 });
    if (source !== 'half-way') await imports.finishImport(source, new Date('2026-04-01T00:00:00.005Z'));
  }
  await imports.close();
  const direct = new SqliteDatabase(path);
  direct.transaction(() => {
    for (let n = 11; n <= pets; n++) {
      const id = n > pets - 5 ? 2n ** 53n + 1n + BigInt(n) : BigInt(n * 2);
      const status = [undefined, ...petStatuses][n % 4];
      insertPet(direct, id, { name: `Pet ${n}`, categoryId: BigInt(n % 7), ...(status && { status }) });
    }
  })();
  direct.close();
}

async function contentOf(open: Promise<BulkStore>): Promise<unknown[]> {
  const store = await open;
  const content = [];
  for (const table of [store.pets, store.keys, store.idempotencyRecords, store.imports]) {
    for await (const rows of readAll(table as BulkTable<unknown>)) content.push(...rows);
  }
  await store.close();
  return content;
}

/** Starts a copy and kills it when it says that a part is done; true when that came in time. */
async function copyAndKill(from: string, to: string): Promise<boolean> {
  const child = Bun.spawn(petstoreCommand(['copy', '--from', from, '--to', to]), {
    env: cleanEnvironment(),
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: patienceMs,
  });
  let said = '';
  for await (const chunk of child.stderr) {
    said += new TextDecoder().decode(chunk);
    if (said.includes('pets ')) child.kill('SIGKILL');
  }
  await child.exited;
  return child.signalCode === 'SIGKILL';
}

describe('petstore copy', () => {
  it(
    'moves 40,000 pets to PostgreSQL and back, killed half-way and resumed, and the stores are identical',
    async () => {
      const address = database.address();
      const back = join(folder.path, 'back.db');
      const original = await contentOf(openSqliteBulk({ path: full, mayCreate: false }));
      expect(original).toHaveLength(pets + 3 + 10 + 3);

      expect(await copyAndKill(full, address)).toBe(true);
      const [{ count } = { count: 0 }] = await database.run('SELECT count(*)::int AS count FROM pets');
      expect(count).toBeGreaterThan(0);
      expect(count).toBeLessThan(pets);
      const there = await runCli(['copy', '--from', full, '--to', address]);
      expect(there).toMatchObject({ status: 0, stdout: expect.stringContaining('40,000 pets') });
      // Once what the first run had copied, once everything.
      expect(there.stderr.match(/^rows compared ([\d,]+) of \1, [\d,]+\/s$/gm)).toHaveLength(2);
      expect(await contentOf(openPostgresBulk({ address, mayCreate: false }))).toEqual(original);

      expect(await copyAndKill(address, back)).toBe(true);
      const here = await runCli(['copy', '--from', address, '--to', back]);
      expect(here).toMatchObject({ status: 0, stdout: there.stdout });
      expect(await contentOf(openSqliteBulk({ path: back, mayCreate: false }))).toEqual(original);
    },
    patienceMs,
  );

  it('leaves a store that serves: ids go on behind the last, and a repeated create finds its pet', async () => {
    const store = await openPostgresStore({ address: database.address() });
    const again = await store.pets.createPet(
      { name: 'keyed "3" \\ 🐕 NULL', categoryId: -(2n ** 63n) },
      { caller: 'shop', key: 'key 3' },
    );
    expect(again).toMatchObject({ id: 4n, replayed: true });
    const created = await store.pets.createPet({ name: 'new', categoryId: 1n });
    expect(created.id).toBeGreaterThan(9007199254740993n + BigInt(pets));
    expect(
      (
        await store.keys.createKey({
          name: 'new',
          hash: 'new',
          lastFour: 'aaaa',
          isReadOnly: false,
          createdAt: new Date(),
        })
      ).id,
    ).toBe('4');
    await store.close();
  });

  it('refuses a target that holds other data, and writes nothing', async () => {
    const other = join(folder.path, 'other.db');
    const store = openSqliteStore({ path: other });
    await store.pets.createPet({ name: 'somebody else', categoryId: 1n });
    await store.close();
    const { status, stderr } = await runCli(['copy', '--from', full, '--to', other]);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr:
        'petstore: The target holds other pets, so nothing was written. Choose an empty store with --to.\n',
    });
    expect(await contentOf(openSqliteBulk({ path: other, mayCreate: false }))).toHaveLength(1);
  });

  it('says in one line that somebody else writes to the target', async () => {
    await using shared = await makeDatabase();
    const target = shared.address();
    await (await openPostgresStore({ address: target })).close();
    // Takes the next id as soon as the copy has added a pet, as a running service could.
    await shared.run(`CREATE FUNCTION rival() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN INSERT INTO pets VALUES (new.id + 1, 'rival', 1); RETURN new; END $$`);
    await shared.run(`CREATE TRIGGER rival AFTER INSERT ON pets FOR EACH ROW
      WHEN (new.name <> 'rival') EXECUTE FUNCTION rival()`);
    const { status, stderr } = await runCli(['copy', '--from', full, '--to', target]);
    expect(status).toBe(1);
    expect(stderr).toEndWith(
      'petstore: Another process wrote to the target during the copy. ' +
        'Stop the services of both stores, and copy into an empty store with --to.\n',
    );
  });

  it('refuses a source that is not there, and does not make it', async () => {
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

  it('asks for both places', async () => {
    expect(await runCli(['copy', '--from', full])).toMatchObject({ status: 2 });
  });
});
