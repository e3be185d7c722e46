import { readdirSync } from 'node:fs';
import { version } from '../../package.json';
import type { Log } from '../system/log.ts';
import type { Registry } from '../metrics/registry.ts';
import { addressOf, cannotListen } from './addresses.ts';
import type { ServeOptions } from './options.ts';

/** Serves `/metrics` on a separate port, which need not be open to callers of the API. */
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
      // By default, Bun shares the port with other processes.
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
 * This process's resources, named after OpenTelemetry's process conventions, and its build. One name follows Prometheus
 * instead, which reserves the suffix `_count` for histograms.
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
  // Throws, and so has no sample, without /proc or a free descriptor to read it.
  registry.gauge('process_open_fds', 'Open file descriptors.', () => readdirSync('/proc/self/fd').length);
  registry.gauge('petstore_build_info', 'The build that runs.', () => [
    { labels: { version, bun_version: Bun.version }, value: 1 },
  ]);
}
