import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createLog } from '../../../../src/system/log.ts';
import { issueKey } from '../../../../src/stores/issue-key.ts';
import { openPostgresStore } from '../../../../src/stores/postgres/open.ts';
import type { Store } from '../../../../src/stores/store.ts';
import { createPet } from '../../../support/changes.ts';
import { failureOf } from '../../../support/failure.ts';
import { superuser } from '../../../support/postgres/cluster.ts';
import { makeDatabase, type Database } from '../../../support/postgres/server.ts';
import { untilUnavailable, untilAvailable } from '../availability.ts';
import { runCli } from '../../../support/process/process.ts';

const rex = { name: 'Rex', categoryId: 1n, status: 'sold' } as const;
/** The first schema on the default path has the name of the role. */
const first = superuser.user;

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

describe('a schema that somebody puts before that of the store', () => {
  it('does not replace a table for older or newer sessions', async () => {
    const { key } = await issueKey(store.keys, { name: 'till', now: new Date() });
    await database.run(`CREATE SCHEMA ${first}; CREATE TABLE ${first}.api_keys (LIKE public.api_keys INCLUDING ALL);
      INSERT INTO ${first}.api_keys (id, name, hash, last_four, read_only, may_delete, created_at)
      VALUES (1, 'intruder', 'stolen', '1234', false, true, 0)`);
    for (let round = 0; round < 2; round++) {
      expect(await store.keys.findKey('stolen')).toBeUndefined();
      expect(await store.keys.findKey(key.hash)).toEqual(key);
      await database.cutConnections();
    }
  });

  it('is refused by name if it has a store of its own', async () => {
    await database.run(`CREATE TABLE ${first}.petstore_schema (id integer, version integer)`);
    const refusal = `has 2 stores, in the schemas ${first} and public.`;
    expect(String(await failureOf(openPostgresStore({ address: database.address() })))).toContain(refusal);
    const checked = await runCli(['check', '--port', '0', '--database-url', database.address()]);
    expect(checked.stderr).toContain(refusal);
    await database.cutConnections();
    await untilUnavailable(store.pets);
    const publicStore = await openPostgresStore({
      address: database.address('?options=-csearch_path%3Dpublic'),
    });
    await publicStore.pets.apply(createPet(rex));
    await publicStore.close();
    await database.run(`DROP SCHEMA ${first} CASCADE`);
    await untilAvailable(store.pets);
  });
});

describe('a function that somebody names like one of the server', () => {
  it('does not draw an id', async () => {
    await database.run(
      `CREATE FUNCTION public.nextval(text) RETURNS bigint LANGUAGE sql AS 'SELECT 666::bigint'`,
    );
    const { id, json } = await store.pets.apply(createPet(rex));
    expect(id).toBeLessThan(666n);
    expect(await store.pets.getPet(id)).toBe(json);
    expect(await database.run('SELECT FROM orders WHERE id = 666')).toEqual([]);
    const { key } = await issueKey(store.keys, { name: 'till', now: new Date() });
    expect(key.id).not.toBe('666');
    await database.run('DROP FUNCTION public.nextval(text)');
  });
});

describe('a start', () => {
  async function warningsOf({ user, password } = superuser): Promise<string[]> {
    const lines: string[] = [];
    const log = createLog({ level: 'warn', write: (line) => lines.push(line) });
    const own = await openPostgresStore({ address: database.addressAs(user, password), log });
    await own.close();
    return lines;
  }

  it('warns of roles that may create beside the tables, and of no others', async () => {
    await database.run(`CREATE ROLE guest LOGIN PASSWORD 'guest'; CREATE ROLE root_like LOGIN SUPERUSER; CREATE ROLE group_of_guests;
      GRANT ALL ON ALL TABLES IN SCHEMA public TO guest;
      GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO guest`);
    expect(await warningsOf()).toEqual([]);
    for (const [grant, revoke, roles] of [
      ['ON SCHEMA public TO guest', 'ON SCHEMA public FROM guest', '"roles":"guest"'],
      // Other tests on this server have roles, too.
      ['ON SCHEMA public TO PUBLIC', 'ON SCHEMA public FROM PUBLIC', '"roles":"'],
      [
        `ON DATABASE ${database.name} TO group_of_guests; GRANT group_of_guests TO guest`,
        `ON DATABASE ${database.name} FROM group_of_guests`,
        // Members of a group may take its rights with SET ROLE, even if they do not inherit them.
        '"roles":"group_of_guests, guest"',
      ],
    ] as const) {
      await database.run(`GRANT CREATE ${grant}`);
      const warnings = await warningsOf();
      expect(warnings).toEqual([expect.stringContaining('Other roles may create') as string]);
      expect(warnings[0]).toContain(roles);
      await database.run(`REVOKE CREATE ${revoke}`);
    }
    await database.run('GRANT CREATE ON SCHEMA public TO guest');
    expect(await warningsOf({ user: 'guest', password: 'guest' })).toEqual([]);
    await database.run('REVOKE CREATE ON SCHEMA public FROM guest');
    // Another owner of the schema, so that the owner of the database does not stand in for it.
    await database.run(
      `ALTER SCHEMA public OWNER TO ${superuser.user}; ALTER DATABASE ${database.name} OWNER TO guest`,
    );
    expect(await warningsOf()).toEqual([]);
    await database.run(`ALTER DATABASE ${database.name} OWNER TO ${superuser.user}`);
    await database.run('DROP OWNED BY guest; DROP ROLE guest, root_like, group_of_guests');
  });

  it('warns of what the server runs on our tables, by name, as a check does', async () => {
    await database.run(`
      CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN new; END';
      CREATE TRIGGER "Revive" BEFORE UPDATE ON api_keys FOR EACH ROW EXECUTE FUNCTION nothing();
      CREATE RULE hide AS ON DELETE TO events DO ALSO NOTHING;
      CREATE POLICY own ON pets USING (true);
      CREATE TABLE visits (id bigint);
      CREATE TRIGGER count BEFORE UPDATE ON visits FOR EACH ROW EXECUTE FUNCTION nothing()`);
    const additions = 'row policy own on pets, rule hide on events, trigger "Revive" on api_keys';
    expect(await warningsOf()).toEqual([expect.stringContaining(JSON.stringify(additions))]);
    const { stderr } = await runCli(['check', '--port', '0', '--database-url', database.address()]);
    expect(stderr).toContain(additions);
    await database.run(`DROP TRIGGER "Revive" ON api_keys; DROP RULE hide ON events; DROP POLICY own ON pets;
      DROP TABLE visits; DROP FUNCTION nothing()`);
    expect(await warningsOf()).toEqual([]);
  });
});
