import { expect, it } from 'bun:test';
import type { EventQuery, EventStore } from '../../src/stores/store.ts';
import { codeOf } from '../support/code-of.ts';
import { onEveryStore } from '../support/stores.ts';
import { createPet, deletePet } from '../support/changes.ts';

interface ReadEvent {
  id: number;
  type: string;
  petId?: number;
}

const rex = { name: 'Rex', categoryId: 1n };
const day = 24 * 60 * 60 * 1000;

async function read(store: { events: EventStore }, request: Partial<EventQuery> = {}) {
  const page = await store.events.listEvents({ limit: 100, ...request });
  return { events: JSON.parse(page.json) as ReadEvent[], next: page.next };
}

onEveryStore('events', ({ open }) => {
  it('continue after a position, whatever the filter is', async () => {
    const store = await open();
    const start = (await read(store, { after: 'now' })).next;
    await Promise.all(Array.from({ length: 30 }, () => store.pets.apply(createPet(rex))));
    for (const id of [3n, 4n]) await store.pets.apply(deletePet(id));
    const first = await read(store, { after: start, limit: 20 });
    expect(first.events.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    const second = await read(store, { after: first.next, limit: 20 });
    expect(second.events.map(({ id }) => id)).toEqual(Array.from({ length: 12 }, (_, index) => index + 21));
    expect((await read(store, { after: second.next })).events).toEqual([]);
    const ofPet = await read(store, { after: start, petId: 3n });
    expect(ofPet.events.map(({ type }) => type)).toEqual(['pet.created', 'pet.deleted']);
    expect(ofPet.next).toEqual(second.next);
    const deleted = await read(store, { type: 'pet.deleted', limit: 1 });
    expect(deleted.events.map(({ petId }) => petId)).toEqual([3]);
    expect((await read(store, { after: deleted.next, type: 'pet.deleted' })).events).toMatchObject([
      { petId: 4 },
    ]);
  });

  it('read at most 1,000 events for a filter, and move past them', async () => {
    const store = await open();
    await Promise.all(Array.from({ length: 1001 }, () => store.pets.apply(createPet(rex))));
    const first = await read(store, { petId: 1001n });
    expect([first.events.length, first.next.id]).toEqual([0, 1000n]);
    expect((await read(store, { petId: 1001n, after: first.next })).events).toMatchObject([{ petId: 1001 }]);
  });

  it('refuse a position that is ahead of the log or belongs to another', async () => {
    const store = await open();
    await store.pets.apply(createPet(rex));
    const { next } = await read(store);
    expect(await codeOf(read(store, { after: { ...next, id: next.id + 1n } }))).toBe('events_gone');
    expect(await codeOf(read(store, { after: { ...next, epoch: 'other' } }))).toBe('events_gone');
  });

  it('include the newest one, however old, so that ids only grow', async () => {
    let now = Date.now();
    const store = await open({ now: () => now });
    const { id } = await store.pets.apply(createPet(rex));
    const { next } = await read(store);
    now += 30 * day;
    await store.pets.apply(deletePet(id));
    await store.pets.apply(createPet(rex));
    expect((await read(store, { after: next })).events.map((event) => event.id)).toEqual([2, 3]);
  });
});
