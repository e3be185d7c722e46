import { readdirSync } from 'node:fs';
import { version } from '../../package.json';
import type { Registry } from '../metrics/registry.ts';

/**
 * What this process uses, by the names of OpenTelemetry's process conventions, and which build it runs.
 * One name is Prometheus' own: it keeps the ending `_count` for histograms.
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
  registry.gauge('process_open_fds', 'Open file descriptors.', () => {
    const count = countDescriptors();
    return count === undefined ? [] : [{ labels: {}, value: count }];
  });
  registry.gauge('petstore_build_info', 'The build that runs.', () => [
    { labels: { version, bun_version: Bun.version }, value: 1 },
  ]);
}

/** Undefined where there is no /proc, or no descriptor left to read it with. */
function countDescriptors(): number | undefined {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return undefined;
  }
}
