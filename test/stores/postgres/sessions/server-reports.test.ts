import { afterAll, describe, expect, it } from 'bun:test';
import { Client } from 'pg';
import { openPostgresStore } from '../../../../src/stores/postgres/open.ts';
import { hold } from '../../../support/postgres/cluster.ts';
import { makeDatabase } from '../../../support/postgres/server.ts';
import { failureOf } from '../../../support/failure.ts';
import { createPet } from '../../../support/changes.ts';

const rex = { name: 'Rex', categoryId: 1n };
const outcomeUnknown = {
  code: 'unavailable',
  message: expect.stringContaining('outcome of this write is unknown'),
};

const database = await makeDatabase();
const store = await openPostgresStore({ address: database.address() });
afterAll(async () => {
  await store.close();
  await database[Symbol.asyncDispose]();
});

/** Our sessions that wait for a lock. */
const waiting = `pg_stat_activity WHERE datname = '${database.name}' AND wait_event_type = 'Lock'
  AND application_name = 'petstore'`;

describe('a store', () => {
  it('repeats a create that lost a deadlock', async () => {
    const old = { caller: 'till', key: 'b' };
    await database.run(
      "INSERT INTO idempotency_keys VALUES ('till', 'a', 'x', 1, 0), ('till', 'b', 'x', 2, 0)",
    );
    const other = new Client(database.address());
    await other.connect();
    // The create takes over a and waits for b; the session that holds b waits for a, with all the time in the world.
    await other.query("SET deadlock_timeout = '1h'; BEGIN; DELETE FROM idempotency_keys WHERE key = 'b'");
    const created = Promise.all([
      store.pets.apply(createPet(rex)),
      store.pets.apply(createPet(rex, { caller: 'till', key: 'a' })),
      store.pets.apply(createPet(rex, old)),
    ]);
    while ((await database.run(`SELECT FROM ${waiting}`)).length === 0) await Bun.sleep(5);
    await other.query("DELETE FROM idempotency_keys WHERE key = 'a'");
    await other.query('ROLLBACK');
    await other.end();
    expect((await created).map(({ isNew }) => isNew)).toEqual([true, true, true]);
  });

  it('reports an unknown outcome if the server ends the session of a create', async () => {
    await using held = await hold(database, 'LOCK TABLE pets IN SHARE ROW EXCLUSIVE MODE');
    const failure = failureOf(store.pets.apply(createPet(rex)));
    const end = `SELECT pg_terminate_backend(pid) FROM ${waiting}`;
    while ((await database.run(end)).length === 0) await Bun.sleep(5);
    expect(await failure).toMatchObject(outcomeUnknown);
    await held.release();
  });
});

describe('a warning from code in the database', () => {
  it.each([
    ['a trigger', 'CREATE TRIGGER loud AFTER INSERT ON pets FOR EACH ROW EXECUTE FUNCTION warn()'],
    [
      'a trigger that runs with COMMIT',
      `CREATE CONSTRAINT TRIGGER loud AFTER INSERT ON pets DEFERRABLE INITIALLY DEFERRED
       FOR EACH ROW EXECUTE FUNCTION warn()`,
    ],
  ])('does not affect a create: %s', async (_title, trigger) => {
    await database.run(`CREATE OR REPLACE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE WARNING 'A pet.'; RETURN NULL; END $$`);
    await database.run(trigger);
    const { id, json } = await store.pets.apply(createPet(rex));
    expect(await store.pets.getPet(id)).toBe(json);
    await database.run('DROP TRIGGER loud ON pets');
  });
});
