import type { PetstoreClient } from '../../../packages/client/src/index.ts';
import type { ListeningService } from './listening.ts';

/** A client that opens a connection for each attempt, so that each meets the next fault of the proxy. */
export function clientThrough(
  service: ListeningService,
  baseUrl: string,
  timeoutMs = 10_000,
): PetstoreClient {
  return service.clientWith({
    baseUrl,
    timeoutMs,
    fetch: (url, init) => fetch(url, { ...init, keepalive: false }),
  });
}
