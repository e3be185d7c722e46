import { describe, expect, it } from 'bun:test';
import { Client } from 'pg';
import { parseAddress } from '../../../src/stores/postgres/address.ts';
import { createEngine } from '../../../src/stores/postgres/engine.ts';
import { openPostgresStore } from '../../../src/stores/postgres/open.ts';
import { createSql } from '../../../src/stores/postgres/sql.ts';
import { createClient, type PetstoreClient } from '../../../packages/client/src/index.ts';
import { openService, type Store } from '../../support/http/service.ts';
import { Mirror } from '../../support/mirror.ts';
import { hold } from '../../support/postgres/cluster.ts';
import { makeDatabase, sharedServer } from '../../support/postgres/server.ts';
import { createPet } from '../../support/changes.ts';

/** A client of a service on this store, without a socket. */
async function clientOf(store: Store): Promise<PetstoreClient> {
  const { app, apiKey } = await openService({ openStore: async () => store });
  const baseUrl = 'http://petstore.example';
  return createClient({ baseUrl, apiKey, fetch: async (url, init) => app.fetch(new Request(url, init)) });
}

describe('events on PostgreSQL', () => {
  /** Every transaction that adds a pet named Slow pauses while the test holds a lock. */
  const pauseSlow = `
    CREATE FUNCTION pause_slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF NEW.folded_name = 'slow' THEN PERFORM pg_advisory_xact_lock(1); END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER pause BEFORE INSERT ON pets FOR EACH ROW EXECUTE FUNCTION pause_slow();`;
  it('reach a mirror in the order of their commits, not of their transactions', async () => {
    await using database = await makeDatabase();
    const store = await openPostgresStore({ address: database.address() });
    await database.run(pauseSlow);
    const client = await clientOf(store);
    await store.pets.apply(createPet({ name: 'First', categoryId: 1n }));
    const mirror = new Mirror();
    await mirror.read(client, 100, 0);
    await using held = await hold(database, 'SELECT pg_advisory_xact_lock(1)');
    // Waits for locks much longer than a service does.
    const patient = { lockMs: 60_000, statementMs: 60_000, silenceMs: 60_000 };
    const options = { readerCount: 1, timeouts: patient, commitMs: 60_000 };
    const sessions = createSql(parseAddress(database.address()), options);
    const slow = createEngine(sessions, {
      ...{ maxQueuedWrites: 1 },
    });
    const adding = slow.apply({ ...createPet({ name: 'Slow', categoryId: 1n }), at: Date.now() });
    await held.untilWaiting(1);
    await store.pets.apply(createPet({ name: 'Quick', categoryId: 1n }));
    expect(await mirror.read(client, 100, 0)).toBe(1);
    await held.release();
    await adding;
    await mirror.read(client, 100, 0);
    const faults = await mirror.findFaults(client);
    await Promise.all([store.close(), slow.close()]);
    expect([mirror.restarts, faults]).toEqual([0, []]);
  });

  it('are not delayed by a long transaction of a stranger on the same server', async () => {
    await using database = await makeDatabase();
    const store = await openPostgresStore({ address: database.address() });
    const client = await clientOf(store);
    const strangers = [new Client(database.address()), new Client(sharedServer.address())];
    for (const stranger of strangers) {
      await stranger.connect();
      // With a transaction id of its own, as every transaction that writes has.
      await stranger.query('BEGIN; SELECT pg_current_xact_id()');
    }
    const { after } = await client.listEvents({ after: 'now' });
    const { id } = await client.createPet({ name: 'Rex', categoryId: 1n });
    const { events } = await client.listEvents({ after });
    await Promise.all([store.close(), ...strangers.map((stranger) => stranger.end())]);
    expect(events).toMatchObject([{ petId: id }]);
  });
});
