import { readdirSync } from 'node:fs';
import { version } from '../../package.json';
import type { Log } from '../system/log.ts';
import type { Registry } from '../metrics/registry.ts';
import { addressOf, cannotListen } from './addresses.ts';
import type { ServeOptions } from './options.ts';

/** Serves `/metrics` on a port of its own, so that what is open to callers of the API stays as it is. */
export function openMetricsPort(
  { metricsHost: host, metricsPort: port = 0 }: ServeOptions,
  log: Log,
  registry: Registry,
): AsyncDisposable {
  addProcessMetrics(registry);
  const headers = { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8', 'Cache-Control': 'no-store' };
  try {
    const server = Bun.serve({
      hostname: host,
      port,
      // Unless told so, Bun shares the port with other processes that serve on it.
      reusePort: false,
      routes: { '/metrics': { GET: async () => new Response(await registry.render(), { headers }) } },
      fetch: () => new Response('Metrics are at /metrics.\n', { status: 404 }),
      development: false,
    });
    const address = addressOf({ host, tlsCert: undefined }, server.port ?? port);
    log.info('metrics', { address: `${address}/metrics` });
    return { [Symbol.asyncDispose]: () => server.stop(true) };
  } catch (error) {
    throw cannotListen(error, { host, port }, 'metrics-');
  }
}

/**
 * What this process uses, by the names of OpenTelemetry's process conventions, and which build it runs.
 * One name is Prometheus' own: it keeps the ending `_count` for histograms.
 */
function addProcessMetrics(registry: Registry): void {
  registry.observedCounter('process_cpu_time_seconds_total', 'Processor time used.', () => {
    const { user, system } = process.cpuUsage();
    return [
      { labels: { cpu_mode: 'user' }, value: user / 1e6 },
      { labels: { cpu_mode: 'system' }, value: system / 1e6 },
    ];
  });
  registry.gauge('process_memory_usage_bytes', 'Physical memory in use.', () => process.memoryUsage.rss());
  registry.gauge('process_uptime_seconds', 'Time since the start.', () => process.uptime());
  // Fails, and has no sample, where there is no /proc or no descriptor left to read it with.
  registry.gauge('process_open_fds', 'Open file descriptors.', () => readdirSync('/proc/self/fd').length);
  registry.gauge('petstore_build_info', 'The build that runs.', () => [
    { labels: { version, bun_version: Bun.version }, value: 1 },
  ]);
}
