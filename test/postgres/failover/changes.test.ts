import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { openPostgresStore, type PostgresStore } from '../../../src/postgres/open.ts';
import { startChangeLoad } from '../../support/postgres/change-load.ts';
import { makeCluster, superuser } from '../../support/postgres/cluster.ts';
import { failureOf } from '../../support/failure.ts';
import { msUntilWritable, untilUnavailable } from '../../support/postgres/load.ts';
import { openProxy, type PostgresProxy } from '../../support/postgres/proxy.ts';
import { makeDatabase, sharedServer, type Database } from '../../support/postgres/server.ts';
import { makeStandby, requireStandby } from '../../support/postgres/standby.ts';

const patienceMs = 120_000;
const rex = { name: 'Rex', categoryId: 1n };

describe('a connection that is lost after a change was sent', () => {
  let database: Database;
  let proxy: PostgresProxy;
  let store: PostgresStore;
  beforeAll(async () => {
    database = await makeDatabase();
    proxy = await openProxy(sharedServer.port);
    const { user, password } = superuser;
    store = await openPostgresStore({
      address: `postgres://${user}:${password}@127.0.0.1:${proxy.port}/${database.name}`,
    });
  });
  afterAll(async () => {
    await store.close();
    await proxy[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  const unknownOutcome = {
    code: 'unavailable',
    message:
      'The connection to the store was lost, and the outcome of this write is unknown. ' +
      'Get the pet to see whether it has changed.',
  };

  it('says that the outcome is unknown, repeats nothing, and shows the pet with its order or neither', async () => {
    for (let round = 0; round < 40; round++) {
      const { id } = await store.pets.createPet(rex);
      proxy.cutNext('update-pets', round % 2 === 0 ? 'at-once' : 'after-answer');
      const update = store.experimental.updatePet(id, { changes: { status: 'sold' } });
      expect(await failureOf(update)).toMatchObject(unknownOutcome);
      const [row] = await database.run(
        `SELECT status, (SELECT count(*)::int FROM orders WHERE pet_id = ${id}) AS orders FROM pets WHERE id = ${id}`,
      );
      const isSold = round % 2 === 1 || row?.['status'] === 'sold';
      expect(row).toEqual(isSold ? { status: 'sold', orders: 1 } : { status: null, orders: 0 });
    }
    expect(proxy.cuts).toBe(40);
  });

  it('says the same of a delete', async () => {
    const { id } = await store.pets.createPet(rex);
    proxy.cutNext('delete-pets', 'after-answer');
    expect(await failureOf(store.experimental.deletePet(id))).toMatchObject(unknownOutcome);
    expect(await store.pets.getPet(id)).toBeUndefined();
    expect(await failureOf(store.experimental.deletePet(id))).toMatchObject({ code: 'not_found' });
  });

  it('takes no commit before a failed change for a proof that the store can be written', async () => {
    const { id } = await store.pets.createPet(rex);
    await database.run("ALTER TABLE pets ADD CONSTRAINT no_tom CHECK (name <> 'Tom')");
    await failureOf(store.experimental.updatePet(id, { changes: { name: 'Tom' } }));
    const sent = proxy.record();
    await store.pets.checkWritable();
    expect(sent.join()).toContain('write-proof');
  });

  it('fails while nothing moves, and changes pets again when the network is back', async () => {
    const { id } = await store.pets.createPet(rex);
    proxy.freeze();
    try {
      const update = store.experimental.updatePet(id, { changes: { name: 'frozen' } });
      expect(await failureOf(update)).toMatchObject({ code: 'unavailable' });
    } finally {
      proxy.thaw();
    }
    await store.experimental.updatePet(id, { changes: { name: 'thawed' } });
    expect(await store.pets.getPet(id)).toContain('"thawed"');
  });
});

describe('changes under load', () => {
  it('keeps every acknowledged change, each pet with its orders, when sessions are ended in the middle', async () => {
    await using database = await makeDatabase();
    const open = () => openPostgresStore({ address: database.address(), recordsOrders: true });
    const stores = [await open(), await open()];
    const load = startChangeLoad(stores);
    for (let round = 0; round < 20; round++) {
      await load.untilAcknowledged(30);
      await database.run(`
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()`);
    }
    await load.untilAcknowledged(30);
    expect(await load.stop(database)).toEqual([]);
    expect(load.count.failures).toBeGreaterThan(0);
    await Promise.all(stores.map((store) => store.close()));
  });

  it(
    'keeps every acknowledged change, each pet with its orders, when the server is killed',
    async () => {
      await using cluster = await makeCluster();
      await cluster.start();
      const open = () => openPostgresStore({ address: cluster.address(), recordsOrders: true });
      const stores = [await open(), await open()];
      const load = startChangeLoad(stores);
      for (let round = 0; round < 5; round++) {
        await load.untilAcknowledged(100);
        await cluster.stop('SIGKILL');
        await untilUnavailable(stores[0]!.pets);
        await cluster.start();
        for (const { pets } of stores) await msUntilWritable(pets);
      }
      await load.untilAcknowledged(100);
      expect(await load.stop(cluster)).toEqual([]);
      expect(load.count.failures).toBeGreaterThan(0);
      await Promise.all(stores.map((store) => store.close()));
    },
    patienceMs,
  );

  it(
    'keeps every acknowledged change, each pet with its orders, when a standby is promoted',
    async () => {
      await using primary = await makeCluster();
      await using standby = await makeStandby(primary);
      await primary.start();
      await standby.start();
      await requireStandby(primary);
      const hosts = `127.0.0.1:${primary.port},127.0.0.1:${standby.port}`;
      const store = await openPostgresStore({
        address: `postgres://${superuser.user}:${superuser.password}@${hosts}/postgres?target_session_attrs=read-write`,
        recordsOrders: true,
      });
      const load = startChangeLoad([store]);
      await load.untilAcknowledged(300);
      await primary.stop('SIGKILL');
      await untilUnavailable(store.pets);
      await standby.run('SELECT pg_promote()');
      await msUntilWritable(store.pets);
      await load.untilAcknowledged(300);
      expect(await load.stop(standby)).toEqual([]);
      expect(load.count.failures).toBeGreaterThan(0);
      await store.close();
    },
    patienceMs,
  );
});
