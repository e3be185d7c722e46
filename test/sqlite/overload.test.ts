import { expect, it } from 'bun:test';
import { openSqliteStore } from '../../src/sqlite/open.ts';
import { post } from '../support/http/calls.ts';
import { openService } from '../support/http/service.ts';
import { makeSqlitePlace } from '../support/store-place.ts';

it('responds with 503 overloaded and Retry-After when the write queue is full, and with 201 to those who had a place', async () => {
  await using place = await makeSqlitePlace();
  await using service = await openService({
    openStore: async () => openSqliteStore({ path: place.path, maxQueuedWrites: 2 }),
  });
  const responses = await Promise.all(
    Array.from({ length: 20 }, () => service.call('/v1/pets', post({ name: 'Rex', categoryId: 1 }))),
  );
  const refused = responses.filter(({ status }) => status === 503);
  expect(responses.filter(({ status }) => status === 201)).toHaveLength(20 - refused.length);
  expect(refused.length).toBeGreaterThan(0);
  for (const response of refused) {
    expect(response.headers.get('Retry-After')).toBe('1');
    expect(await response.json()).toHaveProperty('code', 'overloaded');
  }
  expect((await service.call('/v1/pets', post({ name: 'Mia', categoryId: 1 }))).status).toBe(201);
});
