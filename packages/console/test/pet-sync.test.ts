import { describe, expect, it } from 'bun:test';
import { isPetstoreError, PetstoreClientError, type PetstoreClient } from '../../client/src/index.ts';
import { PetCollection } from '../src/pets/data/pet-collection.ts';
import { PetSync, type PetSyncOptions } from '../src/pets/data/pet-sync.ts';
import { addPets } from '../../../test/support/browser/console.ts';
import { openListeningService, type ListeningService } from '../../../test/support/http/listening.ts';
import { openServiceOnFile } from '../../../test/support/http/service-on-file.ts';

describe('PetSync', () => {
  it('loads all pets, tells its progress and then finds new ones', async () => {
    await using service = await openListeningService();
    await addPets(service, 230);
    await using running = run(service);
    const { collection, sync } = running;
    const seen = new Set<number>();
    collection.subscribe(() => seen.add(collection.pets.length));
    await running.until(() => sync.state.phase === 'complete');
    expect([...seen]).toEqual([100, 200, 230]);
    await addPets(service, 90);
    await running.until(() => collection.pets.length === 320);
    expect(collection.isNew(320n)).toBe(true);
    expect(collection.isNew(230n)).toBe(false);
  });

  it('stops at its largest count and says so', async () => {
    await using service = await openListeningService();
    await addPets(service, 320);
    await using running = run(service, { largestCount: 200 });
    const { collection, sync } = running;
    await running.until(() => sync.state.phase === 'full');
    await running.until(() => running.requests.length > 8);
    expect(collection.pets.length).toBe(200);
  });

  it('shows in time what was changed or removed on any page', async () => {
    const pets = Array.from({ length: 650 }, (_, index) => ({ name: `Pet ${index + 1}`, categoryId: 1n }));
    await using service = await openServiceOnFile(pets);
    await using running = run(service);
    const { collection, sync } = running;
    await running.until(() => sync.state.phase === 'complete');
    service.putPet(350n, { name: 'Changed', categoryId: 2n, status: 'sold' });
    for (let id = 150n; id < 300n; id++) service.removePet(id);
    service.removePet(650n);
    await running.until(() => collection.pets.length === 499 && collection.get(350n)?.name === 'Changed');
    expect(collection.counts).toEqual({ available: 0, pending: 0, sold: 1, none: 498 });
    await addPets(service, 120);
    await running.until(() => collection.pets.length === 619);
    const stored = await Array.fromAsync(service.client.pets());
    expect([...collection.pets]).toEqual(stored);
  });

  it('finds pets that an import with ids of its own puts between others', async () => {
    const pets = Array.from({ length: 450 }, (_, index) => ({ name: `Pet ${index + 1}`, categoryId: 1n }));
    await using service = await openServiceOnFile(pets);
    for (let id = 50n; id < 250n; id++) service.removePet(id);
    await using running = run(service);
    const { collection, sync } = running;
    await running.until(() => sync.state.phase === 'complete');
    expect(collection.pets.length).toBe(250);
    for (let id = 50n; id < 250n; id++) service.putPet(id, { name: 'Imported', categoryId: 3n });
    await running.until(() => collection.pets.length === 450);
  });

  it('begins again when the service no longer knows its cursors', async () => {
    await using service = await openListeningService();
    await addPets(service, 250);
    let isOutdated = false;
    await using running = run(service, {}, (next) =>
      isOutdated ? next?.replace('cursor=', 'cursor=x') : next,
    );
    const { collection, sync } = running;
    await running.until(() => sync.state.phase === 'complete');
    isOutdated = true;
    await running.until(() => isPetstoreError(sync.state.error, 'invalid_cursor'));
    expect(collection.pets.length).toBe(250);
    isOutdated = false;
    await addPets(service, 1);
    await running.until(() => sync.state.error === undefined && collection.pets.length === 251);
  });

  it('asks for the first page, the last one and those on the screen in every round', async () => {
    await using service = await openListeningService();
    await addPets(service, 950);
    await using running = run(service);
    await running.until(() => running.sync.state.phase === 'complete');
    const walk = running.requests.slice(0, 10);
    running.sync.watch([450n, 460n]);
    await running.until(() => running.requests.length > 40);
    const counted = walk.map((page) => running.requests.slice(10).filter((one) => one === page).length);
    for (const always of [0, 4, 9]) expect(counted[always]).toBeGreaterThan(5);
    for (const other of [1, 2, 6, 7]) expect(counted[other]).toBeLessThan(5);
  });

  it('keeps its pets while the service is away and recovers by itself', async () => {
    await using service = await openListeningService();
    await addPets(service, 5);
    await using running = run(service);
    const { collection, sync } = running;
    await running.until(() => sync.state.phase === 'complete');
    await service.goAway();
    await running.until(() => sync.state.error !== undefined);
    expect(collection.pets.length).toBe(5);
    service.comeBack();
    await addPets(service, 1);
    await running.until(() => sync.state.error === undefined && collection.pets.length === 6);
  });

  it('waits longer after each failure, and as long as the service asks', async () => {
    await using service = await openListeningService();
    const startedAt: number[] = [];
    await using running = run(service, { retryMs: 20 }, () => {
      startedAt.push(performance.now());
      const retryAfterMs = startedAt.length === 3 ? 250 : undefined;
      throw new PetstoreClientError('rate_limited', 'Not now.', { retryAfterMs });
    });
    await running.until(() => startedAt.length === 5);
    const waitsMs = startedAt.slice(1).map((time, index) => time - startedAt[index]!);
    // Timers may fire a little early by this clock, never much.
    for (const [index, leastMs] of [20, 40, 250, 160].entries())
      expect(waitsMs[index]).toBeGreaterThan(leastMs - 2);
  });

  it('tries again at once when asked to', async () => {
    await using service = await openListeningService();
    await using running = run(service, { retryMs: 3_600_000 });
    const { collection, sync } = running;
    await running.until(() => sync.state.phase === 'complete');
    await service.goAway();
    await running.until(() => sync.state.error !== undefined);
    service.comeBack();
    await addPets(service, 1);
    expect(collection.pets.length).toBe(0);
    sync.refresh();
    await running.until(() => collection.pets.length === 1);
  });

  it('asks for nothing while it is paused, and at once when it is resumed', async () => {
    await using service = await openListeningService();
    await using running = run(service, { refreshMs: 5 });
    const { collection, sync } = running;
    await running.until(() => sync.state.phase === 'complete');
    sync.setPaused(true);
    await running.until(() => running.waiting === 0);
    const before = running.requests.length;
    await addPets(service, 1);
    await Bun.sleep(100);
    expect(running.requests.length).toBe(before);
    sync.setPaused(false);
    await running.until(() => collection.pets.length === 1);
  });
});

interface Running extends AsyncDisposable {
  collection: PetCollection;
  sync: PetSync;
  /** The queries of all requests so far. */
  requests: (string | undefined)[];
  /** The number of requests without a response yet. */
  readonly waiting: number;
  until(isReached: () => boolean): Promise<void>;
}

function run(
  service: ListeningService,
  options: Partial<PetSyncOptions> = {},
  changeNext: (next: string | undefined) => string | undefined = (next) => next,
): Running {
  const collection = new PetCollection();
  const requests: (string | undefined)[] = [];
  const client = service.clientWith({ retryForMs: 0 });
  let waiting = 0;
  const listPets: PetstoreClient['listPets'] = async (list) => {
    requests.push(list?.next);
    waiting += 1;
    try {
      const next = changeNext(list?.next);
      return await client.listPets(next === undefined ? list : { next, signal: list?.signal });
    } finally {
      waiting -= 1;
    }
  };
  const sync = new PetSync({
    client: { listPets },
    collection,
    onState() {},
    refreshMs: 10,
    retryMs: 10,
    ...options,
  });
  const done = sync.run();
  return {
    collection,
    sync,
    requests,
    get waiting() {
      return waiting;
    },
    async until(isReached) {
      const endsAt = performance.now() + 60_000;
      while (!isReached()) {
        if (performance.now() > endsAt) throw new Error(`This never came true: ${isReached.toString()}`);
        await Bun.sleep(2);
      }
    },
    async [Symbol.asyncDispose]() {
      sync.stop();
      await done;
    },
  };
}
