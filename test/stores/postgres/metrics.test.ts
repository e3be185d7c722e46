import { expect, it } from 'bun:test';
import { createRegistry } from '../../../src/metrics/registry.ts';
import { failureOf } from '../../support/failure.ts';
import { scrapeRegistry } from '../../support/metrics/scrape.ts';
import { openProxiedStore } from './proxy.ts';
import { createPet } from '../../support/changes.ts';

const newPet = { name: 'Rex', categoryId: 1n };

it('reports the size, the batches and a write whose outcome is unknown', async () => {
  const metrics = createRegistry();
  await using proxied = await openProxiedStore(metrics);
  const { proxy, store } = proxied;
  await Promise.all(Array.from({ length: 3 }, () => store.pets.apply(createPet(newPet))));
  await store.keys.findKey('unknown');
  const before = await scrapeRegistry(metrics);
  expect(before.value('petstore_write_batch_size_sum')).toBe(3);
  expect(before.value('petstore_commit_duration_seconds_sum')).toBeGreaterThan(0);
  expect(before.value('petstore_write_queue_depth')).toBe(0);
  expect(before.value('petstore_store_size_bytes')).toBeGreaterThan(1e6);
  expect(before.value('petstore_postgres_unknown_outcomes_total')).toBe(0);

  proxy.cutNextCreate('after-answer');
  await failureOf(store.pets.apply(createPet(newPet)));
  const after = await scrapeRegistry(metrics);
  expect(after.value('petstore_postgres_unknown_outcomes_total')).toBe(1);
  expect(after.value('petstore_postgres_failovers_total')).toBe(0);
});
