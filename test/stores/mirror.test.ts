import { describe, expect, it } from 'bun:test';
import { Client } from 'pg';
import { parseAddress } from '../../src/stores/postgres/address.ts';
import { createEngine } from '../../src/stores/postgres/engine.ts';
import { openPostgresStore } from '../../src/stores/postgres/open.ts';
import { createSql } from '../../src/stores/postgres/sql.ts';
import { codeOf } from '../support/code-of.ts';
import { createClient, type PetstoreClient } from '../../packages/client/src/index.ts';
import { openService, type Store } from '../support/http/service.ts';
import { followWithMirrors, Mirror } from '../support/mirror.ts';
import { makeDatabase, sharedServer } from '../support/postgres/server.ts';
import { between, randomFrom, type Random } from '../support/random.ts';
import { onEveryStore } from '../support/stores.ts';
import { createPet, deletePet, updatePet } from '../support/changes.ts';

/** A mirror that is built from events, by a reader that keeps its cursor and nothing else, equals a full listing. */

const seed = Number(process.env['SEED'] ?? 1);

async function change({ pets }: Store, random: Random): Promise<void> {
  const id = BigInt(between(random, 1, 60));
  const name = `Rex ${random.next()}`;
  if (random.next() < 0.5) await pets.apply(createPet({ name, categoryId: 1n }));
  else if (random.next() < 0.6) await codeOf(pets.apply(updatePet(id, { changes: { name } })));
  else await codeOf(pets.apply(deletePet(id)));
}

/** A client of a service on this store, without a socket. */
async function clientOf(store: Store): Promise<PetstoreClient> {
  const { app, apiKey } = await openService({ openStore: async () => store });
  const baseUrl = 'http://petstore.example';
  return createClient({ baseUrl, apiKey, fetch: async (url, init) => app.fetch(new Request(url, init)) });
}

onEveryStore(`a mirror (SEED=${seed})`, ({ open }) => {
  it('equals the listing after random changes by two services, while readers resume', async () => {
    const random = randomFrom(seed);
    const stores = [await open(), await open()];
    const clients = await Promise.all(stores.map(clientOf));
    using mirrors = followWithMirrors(2, () => random.pick(clients), random);

    const write = async (store: Store): Promise<void> => {
      for (let round = 0; round < 25; round++)
        await Promise.all(Array.from({ length: between(random, 1, 8) }, () => change(store, random)));
    };
    await Promise.all(stores.map(write));
    expect(await mirrors.stop()).toMatchObject({ faults: [], restarts: 0 });
  });
});

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
    const holder = new Client(database.address());
    await holder.connect();
    await holder.query('SELECT pg_advisory_lock(1)');
    // Waits for locks much longer than a service does.
    const patient = { lockMs: 60_000, statementMs: 60_000, silenceMs: 60_000 };
    const options = { readerCount: 1, timeouts: patient, commitMs: 60_000 };
    const sessions = createSql(parseAddress(database.address()), options);
    const slow = createEngine(sessions, {
      ...{ now: Date.now, maxQueued: 1, log: undefined, metrics: undefined },
    });
    const adding = slow.apply(createPet({ name: 'Slow', categoryId: 1n }));
    const paused = `
      SELECT FROM pg_stat_activity WHERE datname = '${database.name}' AND wait_event_type = 'Lock'`;
    while ((await database.run(paused)).length === 0) await Bun.sleep(5);
    await store.pets.apply(createPet({ name: 'Quick', categoryId: 1n }));
    expect(await mirror.read(client, 100, 0)).toBe(1);
    await holder.end();
    await adding;
    await mirror.read(client, 100, 0);
    const found = await mirror.findFaults(client);
    await Promise.all([store.close(), slow.close()]);
    expect([mirror.restarts, found]).toEqual([0, []]);
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
