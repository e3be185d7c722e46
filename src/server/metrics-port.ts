import { usageError, type OperatorError } from '../domain/error.ts';
import type { Log } from '../domain/log.ts';
import type { Registry } from '../metrics/registry.ts';
import { metricsMediaType, renderMetrics } from '../metrics/render.ts';
import type { ServeOptions } from './options.ts';

/** Serves `/metrics` on a port of its own, so that what is open to callers of the API stays as it is. */
export function openMetricsPort(
  { metricsHost, metricsPort = 0 }: ServeOptions,
  log: Log,
  registry: Pick<Registry, 'collect'>,
): AsyncDisposable {
  const headers = { 'Content-Type': metricsMediaType, 'Cache-Control': 'no-store' };
  const scrape = async (): Promise<Response> =>
    new Response(renderMetrics(await registry.collect()), { headers });
  const notFound = (): Response => new Response('Metrics are at /metrics.\n', { status: 404 });

  try {
    const server = Bun.serve({
      hostname: metricsHost,
      port: metricsPort,
      // Unless told so, Bun shares the port with other processes that serve on it.
      reusePort: false,
      routes: { '/metrics': { GET: scrape } },
      fetch: notFound,
      development: false,
    });
    const shownHost = metricsHost.includes(':') ? `[${metricsHost}]` : metricsHost;
    log.info('metrics', { address: `http://${shownHost}:${server.port}/metrics` });
    return { [Symbol.asyncDispose]: () => server.stop(true) };
  } catch (error) {
    throw cannotServeMetrics(error, { host: metricsHost, port: metricsPort });
  }
}

export function cannotServeMetrics(
  error: unknown,
  { host, port }: Pick<ServeOptions, 'host' | 'port'>,
): OperatorError {
  const { code, message } = error as NodeJS.ErrnoException;
  const problem =
    code === 'EADDRINUSE'
      ? `Port ${port} on ${host}, for the metrics, is taken.`
      : `Cannot listen on ${host}, port ${port}, for the metrics (${code ?? message}).`;
  return usageError(problem, 'Choose another with --metrics-port or --metrics-host.');
}
