import { addProcessMetrics } from '../metrics/process-metrics.ts';
import type { Registry } from '../metrics/registry.ts';
import type { Log } from '../system/log.ts';
import { addressOf, cannotListen } from './listener.ts';
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
