import { afterAll, describe, expect, it } from 'bun:test';
import { openPostgresStore } from '../../../../src/stores/postgres/open.ts';
import { runCli } from '../../../support/process/process.ts';
import { codeOf } from '../../../support/code-of.ts';
import { failureOf } from '../../../support/failure.ts';
import { makeDatabase, sharedServer } from '../../../support/postgres/server.ts';
import { createPet } from '../../../support/changes.ts';

const rex = { name: 'Rex', categoryId: 1n };
const database = await makeDatabase();
const store = await openPostgresStore({ address: database.address() });
afterAll(async () => {
  await store.close();
  await database[Symbol.asyncDispose]();
});

describe('a database that turns read-only', () => {
  it('makes writes a 503, serves reads, and accepts writes again without a restart', async () => {
    const { id, json } = await store.pets.apply(createPet(rex));
    await database.run(`ALTER DATABASE ${database.name} SET default_transaction_read_only = on`);
    await database.cutConnections();
    const readOnly = { code: 'unavailable', cause: { code: '25006' } };
    expect(await failureOf(store.pets.apply(createPet(rex)))).toMatchObject(readOnly);
    expect(store.pets.areWritesFailing()).toBe(true);
    expect(await store.pets.getPet(id)).toBe(json);
    await database.run(
      `BEGIN READ WRITE; ALTER DATABASE ${database.name} RESET default_transaction_read_only; COMMIT`,
    );
    await store.pets.apply(createPet(rex));
    expect(store.pets.areWritesFailing()).toBe(false);
  });
});

describe('a server with too few connections', () => {
  it('fails while no connection is free, and serves as soon as one is', async () => {
    await using own = await makeDatabase();
    const address = own.address();
    await (await openPostgresStore({ address })).close();
    await own.run(`CREATE ROLE few LOGIN PASSWORD 'few' CONNECTION LIMIT 5; GRANT ALL ON SCHEMA public TO few;
      GRANT ALL ON ALL TABLES IN SCHEMA public TO few; GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO few`);
    const own2 = await openPostgresStore({ address: own.addressAs('few', 'few') });
    await own.run(`ALTER ROLE few CONNECTION LIMIT 0;
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'few'`);
    expect(await failureOf(own2.pets.apply(createPet(rex)))).toMatchObject({ code: 'unavailable' });
    await own.run('ALTER ROLE few CONNECTION LIMIT 5');
    while ((await codeOf(own2.pets.apply(createPet(rex)))) !== 'done') await Bun.sleep(20);
    await own2.close();
    await own.run('DROP OWNED BY few; DROP ROLE few');
  });
});

describe('reads whose connection is lost', () => {
  it('are repeated on a new connection without an error', async () => {
    const { id, json } = await store.pets.apply(createPet(rex));
    for (let round = 0; round < 3; round++) {
      await database.cutConnections();
      expect(await store.pets.getPet(id)).toBe(json);
    }
  });
});

describe('a server that is serializable throughout', () => {
  it('hides serialization failures, because they are retried', async () => {
    const options = encodeURIComponent('-c default_transaction_isolation=serializable');
    const address = database.address(`?options=${options}`);
    const replicas = await Promise.all([1, 2, 3].map(() => openPostgresStore({ address })));
    for (let round = 0; round < 10; round++) {
      const idempotency = { caller: 'serializable', key: `round ${round}` };
      const answers = await Promise.all(
        replicas.flatMap(({ pets }) => [
          pets.apply(createPet(rex, idempotency)),
          pets.apply(createPet(rex, idempotency)),
        ]),
      );
      expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    }
    await Promise.all(replicas.map((replica) => replica.close()));
  });
});

describe('a database that this program must not touch', () => {
  it('is refused if it cannot store every name', async () => {
    await sharedServer.run("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0");
    expect(String(await failureOf(openPostgresStore({ address: sharedServer.address('latin') })))).toContain(
      'names need UTF8',
    );
    await sharedServer.run('DROP DATABASE latin');
  });
});

describe('petstore migrate', () => {
  it('makes the tables for a service whose role may not', async () => {
    await using separate = await makeDatabase();
    await separate.run("DROP ROLE IF EXISTS clerk; CREATE ROLE clerk LOGIN PASSWORD 'clerk'");
    const clerk = separate.addressAs('clerk', 'clerk');
    for (const command of [['migrate'], ['check', '--port', '0']])
      expect(await runCli([...command, '--database-url', clerk])).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('Run petstore migrate once with a role'),
      });
    const done = await runCli(['migrate', '--database-url', separate.address()]);
    expect(done.status).toBe(0);
    expect(done.stdout).toMatch(/^The tables of postgres:.* are in place\.\n$/);
  });
});
