import { afterAll, expect, it } from 'bun:test';
import { createWaitingRoom } from '../../../src/http/callers/waiting-room.ts';
import { openTemporarySqlite } from '../../support/http/service.ts';

const store = await openTemporarySqlite();
const { events, pets } = store;
afterAll(() => store.close());

const minute = 60_000;
const { signal: stays } = new AbortController();

it('holds 1,024 waiting callers, and all of them leave with the next event', async () => {
  const room = createWaitingRoom(events);
  const newest = await events.newestEvent();
  const waiting = Array.from({ length: 1024 }, () => room.wait(newest, minute, stays));
  expect(() => room.wait(newest, minute, stays)).toThrow(expect.objectContaining({ code: 'overloaded' }));
  await pets.createPet({ name: 'Rex', categoryId: 1n });
  expect(new Set(await Promise.all(waiting))).toEqual(new Set([true]));
});

it('frees the place of a caller that goes away', async () => {
  const room = createWaitingRoom(events);
  const newest = await events.newestEvent();
  const leaving = new AbortController();
  const waiting = Array.from({ length: 1024 }, () => room.wait(newest, minute, leaving.signal));
  leaving.abort();
  expect(new Set(await Promise.all(waiting))).toEqual(new Set([false]));
  expect(await room.wait(newest, minute, leaving.signal)).toBe(false);
  expect(await room.wait(newest, 1, stays)).toBe(false);
});

it('asks the store only while somebody waits', async () => {
  let asked = 0;
  const room = createWaitingRoom({
    checkEveryMs: 1,
    newestEvent() {
      asked += 1;
      return events.newestEvent();
    },
  });
  await Bun.sleep(20);
  expect(asked).toBe(0);
  const newest = await events.newestEvent();
  await Promise.all([room.wait(newest, 50, stays), room.wait(newest, 50, stays)]);
  expect(asked).toBeGreaterThan(0);
  await Bun.sleep(10);
  const askedThen = asked;
  await Bun.sleep(50);
  expect(asked).toBe(askedThen);
});

it('lets waiting callers find out that the store fails', async () => {
  const fail = (): never => {
    throw new Error('disk on fire');
  };
  const room = createWaitingRoom({ checkEveryMs: 1, newestEvent: fail });
  expect(await room.wait({ epoch: '', id: 0n }, minute, stays)).toBe(true);
});

it('lets everybody leave when it closes, and lets nobody wait after that', async () => {
  const room = createWaitingRoom(events);
  const newest = await events.newestEvent();
  const waiting = [room.wait(newest, minute, stays), room.wait(newest, minute, stays)];
  room.close();
  expect(await Promise.all(waiting)).toEqual([false, false]);
  expect(await room.wait(newest, minute, stays)).toBe(false);
});
