import { readdirSync, readFileSync } from 'node:fs';
import { version } from '../../package.json';
import type { Registry } from './registry.ts';

/**
 * This process's resources, named after OpenTelemetry's process conventions, and its build. One name follows Prometheus
 * instead, which reserves the suffix `_count` for histograms.
 */
export function addProcessMetrics(registry: Registry): void {
  registry.observedCounter('process_cpu_time_seconds_total', 'Processor time used.', () => {
    const { user, system } = process.cpuUsage();
    return [
      { labels: { cpu_mode: 'user' }, value: user / 1e6 },
      { labels: { cpu_mode: 'system' }, value: system / 1e6 },
    ];
  });
  registry.gauge('process_memory_usage_bytes', 'Physical memory in use.', () => process.memoryUsage.rss());
  registry.gauge('process_uptime_seconds', 'Time since the start.', () => process.uptime());
  // Without /proc, or a free descriptor to read it, this throws, and the metric has no sample.
  registry.gauge('process_open_fds', 'Open file descriptors.', () => readdirSync('/proc/self/fd').length);
  registry.gauge('process_max_fds', 'How many file descriptors may be open.', () => {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return limit === undefined ? Infinity : Number(limit);
  });
  registry.gauge('petstore_build_info', 'The build that runs.', () => [
    { labels: { version, bun_version: Bun.version }, value: 1 },
  ]);
}
