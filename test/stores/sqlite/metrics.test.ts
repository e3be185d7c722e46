import { expect, it } from 'bun:test';
import { renameSync, statfsSync } from 'node:fs';
import { createApp } from '../../../src/http/app.ts';
import { createRegistry } from '../../../src/metrics/registry.ts';
import { openSqliteStore } from '../../../src/stores/sqlite/open.ts';
import { silentLog } from '../../support/http/service.ts';
import { scrapeRegistry } from '../../support/metrics/scrape.ts';
import { makeFolder } from '../../support/process/process.ts';
import { createPet } from '../../support/changes.ts';

const newPet = { name: 'Rex', categoryId: 1n };

it('measures the queue, the batches and the commits', async () => {
  using folder = makeFolder();
  const metrics = createRegistry();
  const store = openSqliteStore({ path: folder.database, maxQueuedWrites: 5, metrics });
  const creates = Array.from({ length: 3 }, () => store.pets.apply(createPet(newPet)));
  const during = await scrapeRegistry(metrics);
  expect(during.value('petstore_write_queue_depth')).toBe(3);
  expect(during.value('petstore_write_queue_capacity')).toBe(5);
  await Promise.all(creates);
  const after = await scrapeRegistry(metrics);
  expect(after.value('petstore_write_queue_depth')).toBe(0);
  expect(after.value('petstore_write_batch_size_count')).toBe(1);
  expect(after.value('petstore_write_batch_size_sum')).toBe(3);
  expect(after.value('petstore_commit_duration_seconds_count')).toBe(1);
  expect(after.value('petstore_commit_duration_seconds_sum')).toBeGreaterThan(0);
  expect(after.value('petstore_wal_size_bytes')).toBeGreaterThan(4096);
  expect(after.value('petstore_store_size_bytes')).toBe(Bun.file(folder.database).size);
  const { bsize, blocks } = statfsSync(folder.path);
  expect(after.value('petstore_disk_size_bytes')).toBe(bsize * blocks);
  expect(after.value('petstore_disk_free_bytes')).toBeLessThan(bsize * blocks);
  await store.close();
});

it('reports a moved store as not ready, and what failed because of it', async () => {
  using folder = makeFolder();
  const metrics = createRegistry();
  const store = openSqliteStore({ path: folder.database, metrics });
  const app = createApp({ ...store, stableOnly: true, log: silentLog, metrics });
  const ready = async () => (await scrapeRegistry(metrics)).value('petstore_store_ready');
  expect(await ready()).toBe(1);
  renameSync(folder.database, `${folder.database}.moved`);
  while ((await ready()) === 1) await Bun.sleep(50);
  expect((await app.fetch(new Request('http://localhost/readyz'))).status).toBe(503);
  const scraped = await scrapeRegistry(metrics);
  const failed = { http_route: '/readyz', http_response_status_code: '503', error_type: 'unavailable' };
  expect(scraped.value('http_server_request_duration_seconds_count', failed)).toBe(1);
  await store.close();
});
