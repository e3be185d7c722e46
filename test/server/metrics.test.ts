import { afterAll, beforeAll, expect, it } from 'bun:test';
import { version } from '../../package.json';
import { issueKey } from '../../src/stores/issue-key.ts';
import { openSqliteStore } from '../../src/stores/sqlite/open.ts';
import { operations } from '../support/contract/openapi.ts';
import { post, rex } from '../support/http/calls.ts';
import { metricsUrl, scrape } from '../support/metrics/scrape.ts';
import { startService, type Service } from '../support/process/process.ts';

const durations = 'http_server_request_duration_seconds_count';

let on: Service;
let url: string;
beforeAll(async () => {
  on = await startService({ args: ['--metrics-port', '0'] });
  url = await metricsUrl(on);
});
afterAll(() => on[Symbol.asyncDispose]());

it('counts every request once', async () => {
  const creates = Array.from({ length: 20 }, () => on.call('/v1/pets', post(rex)));
  await Promise.all(creates);
  const lists = Array.from({ length: 40 }, () => on.call('/v1/pets'));
  await Promise.all(lists);
  await on.call('/v1/pets?limit=0');
  await on.call('/v1/pets/1');
  await on.call('/v1/pets/1', { method: 'HEAD' });
  await on.call('/nowhere');
  await on.callWith('pets_wrong', '/v1/pets');
  await fetch(`${on.url}/v1/pets`);

  const metrics = await scrape(url);
  const requests = (method: string, status: number, route?: string) =>
    metrics.value(durations, {
      http_request_method: method,
      http_response_status_code: String(status),
      ...(route !== undefined && { http_route: route }),
    });
  expect(requests('POST', 201, '/v1/pets')).toBe(20);
  expect(requests('GET', 200, '/v1/pets')).toBe(40);
  expect(requests('GET', 400, '/v1/pets')).toBe(1);
  expect(requests('GET', 401, '/v1/pets')).toBe(2);
  expect(requests('GET', 200, '/v1/pets/:petId')).toBe(1);
  expect(requests('HEAD', 200, '/v1/pets/:petId')).toBe(1);
  expect(requests('GET', 404)).toBe(1);
  expect(metrics.value(durations)).toBe(66);
  expect(metrics.value('petstore_keys_refused_total', { reason: 'unauthorized' })).toBe(1);
  expect(metrics.value('petstore_keys_refused_total', { reason: 'invalid_api_key' })).toBe(1);
  expect(metrics.value('petstore_store_ready')).toBe(1);
  expect(metrics.value('petstore_build_info', { version, bun_version: Bun.version })).toBe(1);
  expect(metrics.value('petstore_wal_size_bytes')).toBeGreaterThan(0);
  expect(metrics.value('process_cpu_time_seconds_total')).toBeGreaterThan(0);
  expect(metrics.value('process_memory_usage_bytes')).toBeGreaterThan(1e6);
  expect(metrics.value('process_open_fds')).toBeGreaterThan(3);
  expect(metrics.value('process_max_fds')).toBeGreaterThan(metrics.value('process_open_fds'));
  expect(metrics.value('process_uptime_seconds')).toBeGreaterThan(0);
  expect(metrics.value('http_server_active_requests')).toBe(0);
});

it('has a port of its own', async () => {
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/);
  expect((await on.call('/metrics')).status).toBe(404);
  const response = await fetch(url);
  expect(response.headers.get('Content-Type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect((await fetch(new URL('/v1/pets', url))).status).toBe(404);
});

it('counts the failures of every operation from 0, so that rate() sees the first one', async () => {
  const { text } = await scrape(url);
  const routes = operations.map(({ method, path }) => [path.replace(/\{(\w+)\}/, ':$1'), method]);
  for (const [path, method] of routes) {
    for (const [status, code] of [
      [503, 'unavailable'],
      [503, 'overloaded'],
      [500, 'internal'],
    ]) {
      expect(text).toContain(
        `${durations}{http_request_method="${method}",url_scheme="http",http_route="${path}",` +
          `http_response_status_code="${status}",error_type="${code}"} 0\n`,
      );
    }
  }
  // A series that begins with a failure is another one.
  expect(text.match(/_count\{[^}]*http_response_status_code="5/g)).toHaveLength(routes.length * 3);
});

it('reports when the next key expires, unless somebody has revoked it', async () => {
  const dayMs = 86_400_000;
  const nextExpiry = async () => {
    const match = /^petstore_key_next_expiry_timestamp_seconds (\d+)/m.exec((await scrape(url)).text);
    return match && (Number(match[1]) * 1000 - Date.now()) / dayMs;
  };
  const store = openSqliteStore({ path: on.database });
  const { keys } = store;
  const issue = (name: string, days?: number) =>
    issueKey(keys, {
      name,
      now: new Date(),
      ...(days !== undefined && { expiresAt: new Date(Date.now() + days * dayMs) }),
    });
  await issue('for-ever');
  expect(await nextExpiry()).toBe(null);
  await issue('later', 20);
  await issue('sooner', 10);
  expect(await nextExpiry()).toBeCloseTo(10, 1);
  await keys.revokeKey('3', new Date(Date.now() + dayMs));
  expect(await nextExpiry()).toBeCloseTo(20, 1);
  await keys.revokeKey('2', new Date());
  expect(await nextExpiry()).toBe(null);
  await store.close();
});
