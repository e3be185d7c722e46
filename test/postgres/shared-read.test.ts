import { describe, expect, it } from 'bun:test';
import { openPostgresStore } from '../../src/postgres/open.ts';
import { createSharedRead } from '../../src/postgres/shared-read.ts';
import { idsOf } from '../support/http/calls.ts';
import { makeDatabase } from '../support/postgres/server.ts';

/** Queries that end when the test says so. */
function startQueries() {
  const started: PromiseWithResolvers<string>[] = [];
  const query = (): Promise<string> => {
    const running = Promise.withResolvers<string>();
    started.push(running);
    return running.promise;
  };
  return { started, query };
}

describe('shared reads', () => {
  it('join a query only before it starts', async () => {
    const { started, query } = startQueries();
    const read = createSharedRead<string>();
    const first = read('page', query);
    const second = read('page', query);
    const third = read('page', query);
    expect(started).toHaveLength(1);
    started[0]!.resolve('before');
    expect(await first).toBe('before');
    expect(started).toHaveLength(2);
    const fourth = read('page', query);
    started[1]!.resolve('after');
    expect([await second, await third]).toEqual(['after', 'after']);
    expect(started).toHaveLength(3);
    started[2]!.resolve('last');
    expect(await fourth).toBe('last');
  });

  it('keep different reads apart', async () => {
    const { started, query } = startQueries();
    const read = createSharedRead<string>();
    const reads = [read('one', query), read('other', query)];
    started[0]!.resolve('one');
    started[1]!.resolve('other');
    expect(await Promise.all(reads)).toEqual(['one', 'other']);
  });

  it('fail together behind a failed query, and start again after it', async () => {
    const { started, query } = startQueries();
    const read = createSharedRead<string>();
    const reads = Promise.allSettled([read('page', query), read('page', query)]);
    started[0]!.reject(new Error('down'));
    expect((await reads).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const later = read('page', query);
    started[1]!.resolve('up');
    expect(await later).toBe('up');
  });
});

describe('a page that several callers wait for', () => {
  it('is read once for all of them, separately from the one before', async () => {
    await using database = await makeDatabase();
    const store = await openPostgresStore({ address: database.address() });
    const list = async () => store.pets.listPets({ limit: 5 });
    const [first, second, third] = await Promise.all([list(), list(), list()]);
    await store.close();
    expect(second).not.toBe(first);
    expect(third).toBe(second);
  });
});

describe('many readers and writers on three replicas', () => {
  it('read everything that was acknowledged before the read was sent', async () => {
    await using database = await makeDatabase();
    const replicas = await Promise.all(
      [1, 2, 3].map(() => openPostgresStore({ address: database.address() })),
    );
    const anyReplica = () => replicas[Math.floor(Math.random() * replicas.length)]!.pets;
    const acknowledged = new Set<bigint>();
    let newest = 0n;
    const written = new AbortController();
    let reads = 0;
    const stale: string[] = [];

    const write = async (): Promise<void> => {
      for (let count = 0; count < 60; count++) {
        const { id } = await anyReplica().createPet({ name: 'Rex', categoryId: 1n });
        acknowledged.add(id);
        if (id > newest) newest = id;
        if (Math.random() < 0.3) await Bun.sleep(Math.random() * 3);
      }
    };
    const read = async (): Promise<void> => {
      while (!written.signal.aborted) {
        // Few different pages, so that many reads are shared.
        const after = newest - (newest % 25n) - 25n;
        const expected = [...acknowledged].filter((id) => id > after).map(String);
        const found = new Set(idsOf((await anyReplica().listPets({ limit: 100, after })).json));
        // A page that is full may have ended before the newest.
        const isFull = found.size === 100;
        stale.push(...expected.filter((id) => !isFull && !found.has(id)));
        reads += 1;
        if (Math.random() < 0.3) await Bun.sleep(Math.random() * 2);
      }
    };
    const readers = Array.from({ length: 30 }, read);
    await Promise.all(Array.from({ length: 12 }, write));
    written.abort();
    await Promise.all(readers);
    expect(stale).toEqual([]);
    expect(acknowledged.size).toBe(720);
    expect(reads).toBeGreaterThan(100);
    await Promise.all(replicas.map((replica) => replica.close()));
  });
});
