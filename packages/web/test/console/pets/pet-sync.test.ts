import { describe, expect, it } from 'bun:test';
import { PetstoreClientError, type EventPage, type PetstoreClient } from '../../../../client/src/index.ts';
import { Categories } from '../../../src/console/categories/categories.ts';
import { PetRows } from '../../../src/console/pets/data/pet-rows.ts';
import { PetSync, type PetSyncOptions } from '../../../src/console/pets/data/pet-sync.ts';
import { defaultQuery } from '../../../src/console/pets/find/query.ts';
import { addPets, manyPets } from '../../../../../test/support/browser/console.ts';
import { openListeningService, type ListeningService } from '../../../../../test/support/http/listening.ts';
import { openServiceOnFile } from '../../../../../test/support/http/service-on-file.ts';
import { openShopOf } from '../../../../../test/support/browser/shop.ts';

const gone = new PetstoreClientError('events_gone', 'Another store.');

describe('PetSync', () => {
  it('loads one page by hand and more on demand, newest first', async () => {
    await using service = await openShopOf(130);
    await using running = await start(service);
    const { rows, sync } = running;
    expect([rows.list.length, rows.list[0]?.pet.id, sync.hasMore]).toEqual([100, 130n, true]);
    sync.more();
    await running.until(() => rows.list.length === 130);
    expect(sync.hasMore).toBe(false);
    sync.load({ text: '#7', status: 'all' });
    await running.until(() => sync.loads === 2);
    expect(rows.list.map(({ pet }) => pet.id)).toEqual([7n]);
  });

  it('keeps every row in its place while pets are added, changed and removed', async () => {
    await using service = await openShopOf(130);
    await using running = await start(service);
    const { rows, sync } = running;
    sync.more();
    await running.until(() => rows.list.length === 130);
    const ids = rows.list.map(({ pet }) => pet.id);
    await addPets(service, manyPets(90));
    await service.client.updatePet(95n, { name: 'Changed' });
    await service.client.deletePet(5n);
    await running.until(() => rows.newsCount === 90);
    await running.until(() => rows.get(95n)?.pet.name === 'Changed' && rows.get(5n)?.isRemoved === true);
    expect(rows.list.map(({ pet }) => pet.id)).toEqual(ids);
    sync.load();
    await running.until(() => sync.loads === 2);
    expect([rows.newsCount, rows.list[0]?.pet.id, rows.list[0]?.isNew]).toEqual([0, 220n, true]);
  });

  it('greys a pet that others sold, and restores it when it fits again', async () => {
    await using service = await openShopOf(9);
    await using running = await start(service, { query: { text: '', status: 'available' } });
    const { rows } = running;
    expect(rows.list.map(({ pet }) => pet.id)).toEqual([7n, 4n, 1n]);
    await service.client.updatePet(4n, { status: 'sold' });
    await running.until(() => rows.get(4n)?.isFilteredOut === true);
    expect(rows.get(4n)?.pet.status).toBe('sold');
    await service.client.updatePet(4n, { status: 'available' });
    await service.client.updatePet(9n, { status: 'available' });
    await running.until(() => rows.get(4n)?.isFilteredOut === false && rows.newsCount === 1);
    expect(rows.list.map(({ pet }) => pet.id)).toEqual([7n, 4n, 1n]);
  });

  it('neither undoes its own change with an older event nor misses a newer one', async () => {
    await using service = await openShopOf(3);
    const written = Promise.withResolvers<void>();
    // One event on each page, and the own change while the first one is on its way.
    const listEvents: PetstoreClient['listEvents'] = async (options) => {
      if (options?.after === 'now') return service.client.listEvents(options);
      await written.promise;
      const page = await service.client.listEvents({ ...options, limit: 1 });
      if (page.events[0]?.pet?.name === 'Before') rows.replace({ id: 2n, name: 'Own', categoryId: 1n });
      return page;
    };
    await using running = await start(service, { client: { ...service.client, listEvents } });
    const { rows } = running;
    const names = new Set<string>();
    running.watch(() => names.add(rows.get(2n)?.pet.name ?? ''));
    await service.client.updatePet(2n, { name: 'Before' });
    await service.client.updatePet(2n, { name: 'Now' });
    written.resolve();
    await running.until(() => rows.get(2n)?.pet.name === 'Now');
    expect([...names]).toContain('Own');
    expect([...names]).not.toContain('Before');
  });

  it('has the names of categories before its first rows, and follows each change of them', async () => {
    await using service = await openShopOf(1);
    const { client } = service;
    await client.putCategory(7n, 'Dogs');
    await using running = await start(service);
    const { categories } = running;
    expect(categories.names.nameOf(7n)).toBe('Dogs');
    await client.putCategory(7n, 'Hounds');
    await running.until(() => categories.names.nameOf(7n) === 'Hounds');
    await client.deleteCategory(7n);
    await running.until(() => categories.names.nameOf(7n) === undefined);
  });

  it('loads the list again after a hundred events at once and when its events are gone', async () => {
    await using service = await openShopOf(130);
    let next: Partial<EventPage> | Error | undefined;
    let begins = 0;
    const listEvents: PetstoreClient['listEvents'] = async (options) => {
      if (options?.after === 'now') begins += 1;
      const given = options?.after === 'now' ? undefined : next;
      if (given) next = undefined;
      if (given instanceof Error) throw given;
      return { ...(await service.client.listEvents({ ...options, wait: 0 })), ...given };
    };
    await using running = await start(service, { client: { ...service.client, listEvents } });
    const { rows, sync, categories } = running;
    const event = { id: 1n, type: 'category.deleted', createdAt: new Date() } as const;
    const full = { events: Array.from({ length: 100 }, () => event) };
    for (const [round, lost] of [full, gone].entries()) {
      sync.stop();
      await service.client.createPet({ name: `Round ${round}`, categoryId: 1n });
      await service.client.putCategory(1n, `Round ${round}`);
      // What happened meanwhile is not among the events.
      const { after } = await service.client.listEvents({ after: 'now' });
      next = 'events' in lost ? { ...lost, after } : lost;
      void sync.run();
      await running.until(() => rows.list[0]?.pet.name === `Round ${round}`);
      expect(categories.names.nameOf(1n)).toBe(`Round ${round}`);
      expect([rows.list.length, rows.newsCount, sync.error, begins]).toEqual([100, 0, undefined, 2 + round]);
    }
  });

  it('asks the service whether a search finds a pet', async () => {
    await using service = await openListeningService();
    await service.client.createPet({ name: 'Łucja', categoryId: 1n });
    await service.client.createPet({ name: 'Rex', categoryId: 1n });
    await using running = await start(service, { query: { text: 'lucja', status: 'all' } });
    const { rows } = running;
    await service.client.createPet({ name: 'Other', categoryId: 1n });
    await service.client.createPet({ name: 'LUCJA', categoryId: 1n });
    await service.client.updatePet(1n, { name: 'Mia' });
    await running.until(() => rows.get(1n)?.isFilteredOut === true && rows.newsCount === 1);
    await service.client.updatePet(1n, { name: 'lucja' });
    await running.until(() => rows.get(1n)?.isFilteredOut === false);
    expect([rows.list.length, rows.newsCount]).toEqual([1, 1]);
  });

  it('puts the pet with the wanted id first, and does not move it while refreshing it', async () => {
    await using service = await openShopOf(6);
    await service.client.updatePet(6n, { categoryId: 3n });
    await using running = await start(service, { query: { text: '3', status: 'all' } });
    const { rows, sync } = running;
    const ids = () => rows.list.map(({ pet }) => pet.id);
    expect(ids()).toEqual([3n, 6n, 4n]);
    await service.client.updatePet(3n, { name: 'Changed' });
    await running.until(() => rows.get(3n)?.pet.name === 'Changed');
    expect([ids(), rows.list[0]?.isFilteredOut, rows.moves]).toEqual([[3n, 6n, 4n], false, 0]);
    // No pet has this category.
    sync.load({ text: '6', status: 'pending' });
    await running.until(() => sync.loads === 2);
    expect([ids(), rows.list[0]?.isFilteredOut, rows.moves]).toEqual([[6n], true, 1]);
    await service.client.updatePet(6n, { name: 'Changed' });
    await running.until(() => rows.get(6n)?.pet.name === 'Changed');
    expect([ids(), rows.moves]).toEqual([[6n], 1]);
  });

  it('puts a pet that was added here on top at once, and counts only the pets of others as news', async () => {
    await using service = await openShopOf(2);
    await using running = await start(service);
    const { rows } = running;
    await addPets(service, manyPets(1));
    rows.add(await service.client.createPet({ name: 'Own', categoryId: 1n }));
    expect(rows.list.map(({ pet, isNew }) => [pet.id, isNew])).toEqual([
      [4n, true],
      [2n, false],
      [1n, false],
    ]);
    await running.until(() => rows.newsCount === 1);
    expect(rows.list.length).toBe(3);
  });

  it('reports a failure, keeps its rows and recovers', async () => {
    await using service = await openServiceOnFile([{ name: 'Rex', categoryId: 1n }]);
    let failure: Error | undefined;
    const listEvents: PetstoreClient['listEvents'] = (options) =>
      failure ? Promise.reject(failure) : service.client.listEvents({ ...options, wait: 0 });
    await using running = await start(service, { client: { ...service.client, listEvents } });
    const { rows, sync } = running;
    failure = new PetstoreClientError('network', 'Away.');
    await running.until(() => sync.error === failure);
    expect(rows.list.length).toBe(1);
    failure = new PetstoreClientError('invalid_cursor', 'Another version.');
    await running.until(() => sync.error === failure);
    failure = undefined;
    await running.until(() => sync.error === undefined && sync.loads === 2);
  });
});

/** Begins to follow a service, and loads its first page. */
async function start(service: ListeningService, options: Partial<PetSyncOptions> = {}) {
  let tell = () => {};
  let watch = () => {};
  const onState = () => {
    watch();
    tell();
  };
  const rows = new PetRows(onState);
  const categories = new Categories({ client: service.client, onChange: onState });
  const sync = new PetSync({
    client: service.client,
    rows,
    categories,
    query: defaultQuery,
    kept: () => undefined,
    onState,
    ...options,
  });
  const ended = sync.run();
  const running = {
    rows,
    sync,
    categories,
    /** Calls back with every change. */
    watch(onChange: () => void) {
      watch = onChange;
    },
    /** A condition that never holds ends in the time limit of the test. */
    async until(condition: () => boolean) {
      while (!condition()) await new Promise<void>((resolve) => (tell = resolve));
    },
    async [Symbol.asyncDispose]() {
      sync.stop();
      await ended;
    },
  };
  await running.until(() => sync.loads === 1);
  return running;
}
