import { expect, it } from 'bun:test';
import { eventRetentionMs } from '../../../src/domain/history.ts';
import { makeSqlitePlace } from '../../support/store-place.ts';
import { createPet } from '../../support/changes.ts';

it('deletes at most twice as many expired events as a batch writes', async () => {
  await using place = await makeSqlitePlace();
  let now = Date.now();
  const store = await place.open({ now: () => now });
  const countEvents = async () =>
    (JSON.parse((await store.events.listEvents({ limit: 100 })).json) as unknown[]).length;
  const create = () => store.pets.apply(createPet({ name: 'Rex', categoryId: 1n }));
  await Promise.all(Array.from({ length: 20 }, create));
  now += eventRetentionMs + 1;
  await create();
  expect(await countEvents()).toBe(20 + 1 - 2);
  await Promise.all(Array.from({ length: 3 }, create));
  expect(await countEvents()).toBe(19 + 3 - 6);
  await store.close();
});
