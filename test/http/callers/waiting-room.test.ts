import { afterAll, expect, it } from 'bun:test';
import { createWaitingRoom } from '../../../src/http/callers/waiting-room.ts';
import { openTemporarySqlite } from '../../support/http/service.ts';

const store = await openTemporarySqlite();
const { events, pets } = store;
afterAll(() => store.close());

const minute = 60_000;
const { signal: stays } = new AbortController();
const endOfLog = async () => (await events.listEvents({ after: 'now', limit: 1 })).next;

it('holds 1,024 who wait, and all of them leave with the next event', async () => {
  const room = createWaitingRoom(events);
  const end = await endOfLog();
  const waiting = Array.from({ length: 1024 }, () => room.wait(end, minute, stays));
  expect(() => room.wait(end, minute, stays)).toThrow(expect.objectContaining({ code: 'overloaded' }));
  await pets.createPet({ name: 'Rex', categoryId: 1n });
  expect(new Set(await Promise.all(waiting))).toEqual(new Set([true]));
});

it('gives the place of a caller that goes away to another', async () => {
  const room = createWaitingRoom(events);
  const end = await endOfLog();
  const leaving = new AbortController();
  const waiting = Array.from({ length: 1024 }, () => room.wait(end, minute, leaving.signal));
  leaving.abort();
  expect(new Set(await Promise.all(waiting))).toEqual(new Set([false]));
  expect(await room.wait(end, minute, leaving.signal)).toBe(false);
  expect(await room.wait(end, 1, stays)).toBe(false);
});

it('asks the store only while somebody waits', async () => {
  let asked = 0;
  const room = createWaitingRoom({
    checkEveryMs: 1,
    listEvents(request) {
      asked += 1;
      return events.listEvents(request);
    },
  });
  await Bun.sleep(20);
  expect(asked).toBe(0);
  const end = await endOfLog();
  await Promise.all([room.wait(end, 50, stays), room.wait(end, 50, stays)]);
  expect(asked).toBeGreaterThan(0);
  await Bun.sleep(10);
  const askedThen = asked;
  await Bun.sleep(50);
  expect(asked).toBe(askedThen);
});

it('lets whoever waits find out about a store that fails', async () => {
  const fail = (): never => {
    throw new Error('disk on fire');
  };
  const room = createWaitingRoom({ checkEveryMs: 1, listEvents: fail });
  expect(await room.wait({ epoch: '', id: 0n }, minute, stays)).toBe(true);
});

it('lets everybody leave when it closes, and nobody wait any more', async () => {
  const room = createWaitingRoom(events);
  const end = await endOfLog();
  const waiting = [room.wait(end, minute, stays), room.wait(end, minute, stays)];
  room.close();
  expect(await Promise.all(waiting)).toEqual([false, false]);
  expect(await room.wait(end, minute, stays)).toBe(false);
});
