import { expect, it } from 'bun:test';
import { openSqliteStore } from '../../src/sqlite/open.ts';
import { post } from '../support/http/calls.ts';
import { openService } from '../support/http/service.ts';
import { makeSqlitePlace } from '../support/store-place.ts';

it('a write queue that is full is 503 overloaded with Retry-After, and whoever had a place gets 201', async () => {
  await using place = await makeSqlitePlace();
  await using service = await openService({
    openStore: async () => openSqliteStore({ path: place.path, maxQueuedWrites: 2 }),
  });
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => service.call('/v1/pets', post({ name: 'Rex', categoryId: 1 }))),
  );
  const refused = answers.filter(({ status }) => status === 503);
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(20 - refused.length);
  expect(refused.length).toBeGreaterThan(0);
  for (const answer of refused) {
    expect(answer.headers.get('Retry-After')).toBe('1');
    expect(await answer.json()).toHaveProperty('code', 'overloaded');
  }
  expect((await service.call('/v1/pets', post({ name: 'Mia', categoryId: 1 }))).status).toBe(201);
});
