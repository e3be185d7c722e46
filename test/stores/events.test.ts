import { expect, it } from 'bun:test';
import { beginLog } from '../../src/stores/apply.ts';
import type { EventRequest, EventStore } from '../../src/stores/store.ts';
import { codeOf } from '../support/code-of.ts';
import { onEveryStore } from '../support/stores.ts';
import { createPet, deletePet, updatePet } from '../support/changes.ts';

interface ReadEvent {
  id: number;
  type: string;
  createdAt: string;
  createdBy?: string;
  petId?: number;
  pet?: object;
  previous?: object;
}

const rex = { name: 'Rex', categoryId: 1n };
const day = 24 * 60 * 60 * 1000;

async function read(store: { events: EventStore }, request: Partial<EventRequest> = {}) {
  const page = await store.events.listEvents({ limit: 100, ...request });
  return { events: JSON.parse(page.json) as ReadEvent[], next: page.next };
}

onEveryStore('events', ({ open, place }) => {
  it('show every change in order, with the pet and who changed it', async () => {
    const store = await open({ now: () => Date.parse('2026-11-17T18:00:00.123Z') });
    const { id } = await store.pets.apply(createPet({ ...rex, status: 'sold' }, undefined, 'till'));
    await store.pets.apply(updatePet(id, { changes: { status: null, name: 'Max' } }, undefined, 'till-2'));
    await store.pets.apply(updatePet(id, { changes: { categoryId: -(2n ** 63n), status: 'pending' } }));
    await store.pets.apply(updatePet(id, { changes: { name: 'Max' } }));
    await store.pets.apply(deletePet(id, undefined, 'boss'));
    const { json } = await store.events.listEvents({ limit: 100 });
    const at = '"createdAt":"2026-11-17T18:00:00.123Z"';
    const pet = `"petId":1,"pet":{"id":1,"name":`;
    expect(json).toBe(
      `[{"id":1,"type":"pet.created",${at},"createdBy":"till",${pet}"Rex","categoryId":1,"status":"sold"}},` +
        `{"id":2,"type":"pet.updated",${at},"createdBy":"till-2",${pet}"Max","categoryId":1},` +
        `"previous":{"name":"Rex","status":"sold"}},` +
        `{"id":3,"type":"pet.updated",${at},${pet}"Max","categoryId":-9223372036854775808,"status":"pending"},` +
        `"previous":{"categoryId":1,"status":null}},` +
        `{"id":4,"type":"pet.deleted",${at},"createdBy":"boss",` +
        `${pet}"Max","categoryId":-9223372036854775808,"status":"pending"}}]`,
    );
  });

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

  it('begin again in a copied store', async () => {
    const store = await open();
    await store.pets.apply(createPet(rex));
    await store.pets.apply(createPet(rex));
    const { next } = await read(store);
    const tables = await place().openTables();
    await tables.write(beginLog);
    await tables.close();
    expect(await codeOf(read(store, { after: next }))).toBe('events_gone');
    const { events, next: begun } = await read(store);
    expect(events).toEqual([]);
    await store.pets.apply(createPet(rex));
    expect((await read(store, { after: begun })).events).toMatchObject([{ id: 1, petId: 3 }]);
  });

  it('refuse a position that is ahead of the log or belongs to another', async () => {
    const store = await open();
    await store.pets.apply(createPet(rex));
    const { next } = await read(store);
    expect(await codeOf(read(store, { after: { ...next, id: next.id + 1n } }))).toBe('events_gone');
    expect(await codeOf(read(store, { after: { ...next, epoch: 'other' } }))).toBe('events_gone');
  });

  it('stay for seven days, so a month later the log holds one week', async () => {
    let now = Date.parse('2026-01-01T00:00:00Z');
    const store = await open({ now: () => now });
    const start = (await read(store, { after: 'now' })).next;
    const lastWeek: bigint[] = [];
    for (let hour = 0; hour < 31 * 24; hour += 6) {
      now += day / 4;
      await store.pets.apply(createPet(rex));
      lastWeek.push((await store.events.listEvents({ after: 'now', limit: 1 })).next.id);
    }
    expect(await codeOf(read(store, { after: start }))).toBe('events_gone');
    // PostgreSQL deletes beside the writes.
    while ((await read(store)).events.length > 30) await Bun.sleep(20);
    const oldest = (await read(store)).events[0]!;
    expect(now - Date.parse(oldest.createdAt)).toBeWithin(7 * day - day / 4, 7 * day + day / 4 + 1);
    expect((await read(store)).events.map(({ id }) => BigInt(id))).toEqual(
      lastWeek.slice(-(await read(store)).events.length),
    );
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
