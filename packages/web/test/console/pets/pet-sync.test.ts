import { describe, expect, it } from 'bun:test';
import { PetstoreClientError, type EventPage, type PetstoreClient } from '../../../../client/src/index.ts';
import { Categories } from '../../../src/console/categories/categories.ts';
import { PetRows } from '../../../src/console/pets/data/pet-rows.ts';
import { PetSync, type PetSyncOptions } from '../../../src/console/pets/data/pet-sync.ts';
import { defaultQuery } from '../../../src/console/pets/find/query.ts';
import { openListeningService, type ListeningService } from '../../../../../test/support/http/listening.ts';
import { openServiceOnFile } from '../../../../../test/support/http/service-on-file.ts';
import { openShopOf } from '../../../../../test/support/browser/shop.ts';

const gone = new PetstoreClientError('events_gone', 'Another store.');

describe('PetSync', () => {
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

  it('loads the list again when its cursor is of another version', async () => {
    await using service = await openServiceOnFile([{ name: 'Rex', categoryId: 1n }]);
    let failure: Error | undefined;
    const listEvents: PetstoreClient['listEvents'] = (options) =>
      failure ? Promise.reject(failure) : service.client.listEvents({ ...options, wait: 0 });
    await using running = await start(service, { client: { ...service.client, listEvents } });
    const { sync } = running;
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
